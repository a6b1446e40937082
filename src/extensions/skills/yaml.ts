/** Parser for untrusted YAML, with limits on length, depth, values and aliases. Returns JSON values. */

import { Composer, type CST, type Document, isAlias, isMap, isScalar, isSeq, type Node, Parser } from 'yaml';

/** The parsed value, or the reason for which the text was refused. */
export type YamlResult = { readonly value: unknown } | { readonly fault: string };

/** Maximum length of the text. The slowest known text of this length takes less than half a second to parse. */
const MAX_CHARACTERS = 32 * 1024;
const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;
const MAX_ALIASES = 100;

/** YAML 1.2 core schema, in which dates are strings. `uniqueKeys` is off, because `jsonOf` refuses duplicate keys. */
const OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

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
  // Checked before composing, because the composer is recursive and a stack overflow can end the process.
  if (isDeep(tokens)) throw new Fault(`it is nested more than ${MAX_DEPTH} deep`);
  const [document, another] = [...new Composer(OPTIONS).compose(tokens)];
  if (!document) throw new Fault('it is empty');
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new Fault(`${lineAt(text, problem.pos[0])}: ${problem.message}`);
  if (another || document.directives?.docStart) throw new Fault('it must be one document without directives');
  return document as Document.Parsed;
}

/** Returns true if tokens are nested too deeply. Walks level by level, because recursion could overflow the stack. */
function isDeep(tokens: readonly CST.Token[]): boolean {
  let level: readonly CST.Token[] = tokens;
  // The document token and the scalar tokens add two levels.
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
    // Depth is checked again, because an alias can refer to a node that contains the alias.
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

/** Returns a key as text. A key such as a number must have its canonical spelling, for instance `10` but not `1e1`. */
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
