/** A schema and a value: an author's schema is checked by its library or by the engine, a received one is interpreted. */

import { isObject } from '../jsonrpc/message.ts';
import { toJsonSchema } from './convert.ts';
import type { Validate } from './engine.ts';
import { type JsonSchema, pointer } from './json.ts';
import { type Problem, problem } from './problems.ts';
import { receivedPatterns } from './received-pattern.ts';
import { isStandardSchema, type StandardIssue, type StandardResult, type StandardSchema } from './standard.ts';
import type { Direction } from './vendor.ts';
import { readSchema, type SchemaDocument, type SchemaFault } from './walker.ts';

/** What came out of a check: the value as the handler gets it, or what is wrong with it. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A schema, ready for the wire and for checking. */
export interface CheckedSchema {
  readonly jsonSchema: JsonSchema;
  /** Stays synchronous wherever it can: a library may be asynchronous, and the first check of a raw schema loads the engine. */
  check(value: unknown): Checked | Promise<Checked>;
}

/**
 * Makes an author's schema ready, or throws a TypeError that names the place: `where` is how the author knows the schema,
 * such as `Tool "add": inputSchema`.
 */
export function checkedSchema(schema: unknown, where: string, direction: Direction): CheckedSchema {
  const converted = toJsonSchema(schema, direction);
  if ('fault' in converted) throw faulty(where, converted.fault);
  const { jsonSchema } = converted;
  // A library checks its own schemas, and knows more than its JSON Schema says: defaults, transforms, refinements.
  if (isStandardSchema(schema)) return { jsonSchema, check: (value) => checkByLibrary(schema, value) };
  const read = readSchema(jsonSchema);
  if ('fault' in read) throw faulty(where, read.fault);
  return { jsonSchema, check: checkByEngine(read.document, 'compile') };
}

/** Makes a schema from the other side ready, or says why it cannot be used. It is interpreted, never compiled. */
export function checkReceived(schema: unknown): { readonly schema: CheckedSchema } | { readonly fault: SchemaFault } {
  const read = readSchema(schema, receivedPatterns());
  if ('fault' in read) return read;
  return { schema: { jsonSchema: read.document.root, check: checkByEngine(read.document, 'interpret') } };
}

function faulty(where: string, { path, message }: SchemaFault): TypeError {
  return new TypeError(`${where}${path}: ${message}`);
}

function checkByLibrary(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  const result = schema['~standard'].validate(value);
  return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
}

function fromStandard(result: StandardResult<unknown>): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, problems: result.issues.map(toProblem) };
}

function toProblem({ message, path }: StandardIssue): Problem {
  const keys = path?.map((step) => (isObject(step) ? step.key : step) as PropertyKey) ?? [];
  return problem(keys.reduce(pointer, ''), message);
}

type Engine = typeof import('./engine.ts');

let engine: Engine | undefined;
let loading: Promise<Engine> | undefined;

function loadEngine(): Promise<Engine> {
  loading ??= import('./engine.ts').then(
    (loaded) => {
      engine = loaded;
      return loaded;
    },
    (error: unknown) => {
      loading = undefined; // The next call may have more luck.
      throw error;
    },
  );
  return loading;
}

function checkByEngine(document: SchemaDocument, how: 'compile' | 'interpret'): CheckedSchema['check'] {
  let validate: Validate | undefined;
  const check = (value: unknown, { [how]: prepare }: Engine): Checked => {
    validate ??= prepare(document);
    const problems = validate(value);
    return problems === undefined ? { ok: true, value } : { ok: false, problems };
  };
  return (value) => (engine ? check(value, engine) : loadEngine().then((loaded) => check(value, loaded)));
}
