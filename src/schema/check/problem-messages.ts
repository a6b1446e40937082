import { isObject } from '../../jsonrpc/message.ts';
import { shorten } from '../json.ts';
import { unescaped } from '../json-pointer.ts';
import { MAX_PROBLEMS } from '../limits.ts';
import { type Problem, problem } from '../problems.ts';

/** Members of a TypeBox error. Declared here, because only `engine.ts` imports TypeBox. */
export interface EngineError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** Converts TypeBox errors to problems. Messages quote property names and the schema's values, never the caller's values. */
export function toProblems(errors: readonly EngineError[]): Problem[] {
  const messages = new Map<string, Set<string>>();
  const types = new Map<string, Set<string>>();
  const extra = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, path: string, texts: readonly string[]): void => {
    const set = map.get(path) ?? new Set();
    for (const text of texts) set.add(text);
    map.set(path, set);
    if (!messages.has(path)) messages.set(path, new Set());
  };
  for (const error of errors) {
    const { keyword, instancePath } = error;
    const params: Record<string, unknown> = isObject(error.params) ? error.params : {};
    if (keyword === 'type') add(types, instancePath, [params.type].flat().map(String));
    else if (isUnwanted(error)) add(extra, parentOf(instancePath), [lastOf(instancePath)]);
    else if (keyword === 'unevaluatedProperties') add(extra, instancePath, strings(params.unevaluatedProperties));
    else if (keyword === 'required') add(messages, instancePath, strings(params.requiredProperties).map(missing));
    // TypeBox also reports each additional property by itself, so the error for all of them together is skipped.
    else if (keyword !== 'additionalProperties') add(messages, instancePath, [messageOf(error, params)]);
  }
  const problems: Problem[] = [];
  for (const [path, texts] of messages) {
    const wrongType = types.get(path);
    const unwanted = extra.get(path);
    if (wrongType) problems.push(problem(path, `must be ${[...wrongType].join(' or ')}`));
    for (const text of texts) problems.push(problem(path, text));
    if (unwanted) problems.push(problem(path, `must not have additional properties: ${quotedNames([...unwanted])}`));
  }
  return problems.slice(0, MAX_PROBLEMS);
}

/** Returns whether an error is about an additional property, which TypeBox reports as a mismatch with the schema `false`. */
function isUnwanted({ keyword, schemaPath }: EngineError): boolean {
  return keyword === 'boolean' && schemaPath.endsWith('/additionalProperties');
}

function messageOf({ keyword, message }: EngineError, params: Record<string, unknown>): string {
  switch (keyword) {
    case 'boolean':
      return 'is not allowed';
    case 'const':
      return `must be ${shown(params.allowedValue)}`;
    case 'enum':
      return `must be one of ${strings(params.allowedValues, shown).slice(0, 20).join(', ')}`;
    case 'pattern':
      return `must match pattern ${shorten(sourceOf(params.pattern), 100)}`;
    case 'anyOf':
      return 'must match at least one of the schemas in anyOf';
    case 'propertyNames':
      return `must not have properties named ${quotedNames(strings(params.propertyNames))}`;
    case 'dependencies':
    case 'dependentRequired':
      return `must have properties ${quotedNames(strings(params.dependencies))} when it has ${quotedNames([String(params.property)])}`;
    default:
      return message;
  }
}

const missing = (name: string): string => `must have required property ${quotedNames([name])}`;
const sourceOf = (pattern: unknown): string => (pattern instanceof RegExp ? pattern.source : String(pattern));
const shown = (value: unknown): string => shorten(JSON.stringify(value) ?? 'undefined', 60);

function strings(list: unknown, show: (value: unknown) => string = String): string[] {
  return Array.isArray(list) ? list.slice(0, 100).map(show) : [];
}

/** Quotes the first five names for an error message, each truncated to 40 characters, and counts the others. */
export function quotedNames(names: readonly string[]): string {
  const shownNames = names.slice(0, 5).map((name) => `'${shorten(name, 40)}'`);
  return names.length > 5 ? `${shownNames.join(', ')} and ${names.length - 5} more` : shownNames.join(', ');
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function lastOf(path: string): string {
  return unescaped(path.slice(path.lastIndexOf('/') + 1));
}
