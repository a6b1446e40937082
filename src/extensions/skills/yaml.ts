/** YAML as plain JSON. It may come from anybody: what is deep, long or clever is refused, and not worked through. */

import { Composer, type CST, type Document, isAlias, isMap, isScalar, isSeq, type Node, Parser } from 'yaml';

/** What was read, or what is wrong with it. */
export type YamlResult = { readonly value: unknown } | { readonly fault: string };

/** It takes less than half a second to refuse the worst of this length. */
const MAX_CHARACTERS = 32 * 1024;
const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;
const MAX_ALIASES = 100;

/** The schema of YAML 1.2, in which dates are text. Tags are not made use of, and keys are compared here. */
const OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** Reads one document. */
export function readYaml(text: string): YamlResult {
  if (text.length > MAX_CHARACTERS) return { fault: `it is longer than ${MAX_CHARACTERS} characters` };
  try {
    return { value: jsonOf(documentOf(text)) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    throw error;
  }
}

class Fault extends Error {}

function documentOf(text: string): Document.Parsed {
  const tokens = [...new Parser().parse(text)];
  // The composer calls itself for each level; far down the engine may end the process, and not only throw.
  if (isDeep(tokens)) throw new Fault(`it is nested more than ${MAX_DEPTH} deep`);
  const [document, another] = [...new Composer(OPTIONS).compose(tokens)];
  if (!document) throw new Fault('it is empty');
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new Fault(`${lineAt(text, problem.pos[0])}: ${problem.message}`);
  if (another || document.directives?.docStart) throw new Fault('it must be one document without directives');
  return document as Document.Parsed;
}

/** Looks at one level after the other. */
function isDeep(tokens: readonly CST.Token[]): boolean {
  let level: readonly CST.Token[] = tokens;
  // The document is a level above, and the texts are one below.
  for (let depth = 0; depth <= MAX_DEPTH + 2; depth++) {
    if (level.length === 0) return false;
    level = level.flatMap(childrenOf);
  }
  return true;
}

function childrenOf(token: CST.Token): CST.Token[] {
  const items = 'items' in token ? token.items.flatMap((item) => [item.key, 'value' in item ? item.value : null]) : [];
  const inside = 'value' in token ? [token.value] : [];
  return [...items, ...inside].filter((child): child is CST.Token => typeof child === 'object' && child !== null);
}

function jsonOf(document: Document.Parsed): unknown {
  let [values, aliases] = [0, 0];

  const jsonAt = (node: Node | null, depth: number): unknown => {
    if (++values > MAX_VALUES) throw new Fault(`it has more than ${MAX_VALUES} values`);
    // An alias may stand within what it stands for.
    if (depth > MAX_DEPTH) throw new Fault(`it is nested more than ${MAX_DEPTH} deep`);
    if (isAlias(node)) {
      if (++aliases > MAX_ALIASES) throw new Fault(`it has more than ${MAX_ALIASES} aliases`);
      const target = node.resolve(document);
      if (!target) throw new Fault('it has an alias of nothing');
      return jsonAt(target, depth + 1);
    }
    if (isMap<Node, Node | null>(node)) {
      const members = new Map<string, unknown>();
      for (const { key, value } of node.items) {
        const name = nameOf(key);
        if (members.has(name)) throw new Fault('it has the same key twice');
        members.set(name, jsonAt(value, depth + 1));
      }
      return Object.fromEntries(members);
    }
    if (isSeq<Node>(node)) return node.items.map((item) => jsonAt(item, depth + 1));
    return isScalar(node) ? scalarOf(node.value) : null;
  };

  return jsonAt(document.contents, 0);
}

/** Numbers and the like are names if there is only one way to write them. */
function nameOf(key: Node): string {
  if (isScalar(key)) {
    if (typeof key.value === 'string') return key.value;
    if (key.value !== null && key.source === String(key.value)) return key.source;
  }
  throw new Fault('it has a key that is not text; put it into quotes');
}

function scalarOf(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Fault('it has a value that JSON has not, such as .inf or .nan; put it into quotes');
}

function lineAt(text: string, place: number): string {
  return `line ${text.slice(0, place).split('\n').length}`;
}
