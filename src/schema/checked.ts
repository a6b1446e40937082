/** A schema and a value: an author's schema is checked by its library or by the engine. */

import { type Later, later } from '../jsonrpc/later.ts';
import { toJsonSchema } from './convert.ts';
import type { JsonSchema } from './json.ts';
import { checkByLibrary, checkReceivedByLibrary } from './library-check.ts';
import type { Checked, Validate } from './problems.ts';
import { isStandardSchema } from './standard.ts';
import { suspiciousKeywords } from './suspicious-keywords.ts';
import type { Direction } from './vendor.ts';
import type { Read, SchemaDocument, SchemaFault } from './walker.ts';

/** A schema, ready for the wire and for checking. */
export interface CheckedSchema {
  readonly jsonSchema: JsonSchema;
  /** Stays synchronous wherever it can: a library may be asynchronous, and the first check of a raw schema loads the engine. */
  check(value: unknown): Checked | Promise<Checked>;
  /** Where a schema could not be read closely at once: rejects with what is wrong with it. */
  readonly passed?: Promise<unknown>;
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
  if (isStandardSchema(schema)) {
    const check = direction === 'input' ? checkReceivedByLibrary : checkByLibrary;
    return { jsonSchema, check: (value) => check(schema, value) };
  }
  for (const { path, message } of suspiciousKeywords(jsonSchema)) console.error(`mcpp: ${where}${path}: ${message}`);
  return checkedRaw(jsonSchema, where);
}

function faulty(where: string, { path, message }: SchemaFault): TypeError {
  return new TypeError(`${where}${path}: ${message}`);
}

/** Makes what was read of a raw schema ready for checking. */
export type Prepare = (document: SchemaDocument) => Validate;

/** What makes raw schemas ready for checking. */
export const engine: Later<Prepare> = later(
  (): Promise<Prepare> => import('./engine.ts').then(({ compile }) => compile),
);

/** Checks values by what was read of a raw schema. */
export function checkBy(preparing: Later<Prepare>, document: SchemaDocument): CheckedSchema['check'] {
  let validate: Validate | undefined;
  return (value) =>
    preparing.use((prepare): Checked => {
      validate ??= prepare(document);
      const problems = validate(value);
      return problems === undefined ? { ok: true, value } : { ok: false, problems };
    });
}

/** What reads raw schemas closely. */
export const authorReader: Later<typeof import('./author-reader.ts')> = later(() => import('./author-reader.ts'));

/** A raw schema: until it was read closely, every check waits for that. */
function checkedRaw(jsonSchema: JsonSchema, where: string): CheckedSchema {
  let check: CheckedSchema['check'] | undefined;
  let fault: TypeError | undefined;
  const keep = (read: Read): CheckedSchema['check'] => {
    if ('fault' in read) {
      fault = faulty(where, read.fault);
      throw fault;
    }
    check = checkBy(engine, read.document);
    return check;
  };
  const read = (): Read | Promise<Read> => authorReader.use(({ readAuthors }) => readAuthors(jsonSchema));
  const begun = read();
  if (!(begun instanceof Promise)) {
    const read = { jsonSchema, check: keep(begun) };
    const passed = engine.load();
    passed?.catch(() => {});
    return passed ? { ...read, passed } : read;
  }
  let reading: Promise<CheckedSchema['check']> | undefined;
  const readOn = async (result: Read | Promise<Read>): Promise<CheckedSchema['check']> => {
    try {
      return keep(await result);
    } finally {
      reading = undefined; // What could not be loaded may be there the next time.
    }
  };
  reading = readOn(begun);
  // What checks by it is there before anything is served, too.
  const passed = reading.then(() => engine.load());
  passed.catch(() => {});
  return {
    jsonSchema,
    passed,
    check(value) {
      if (check) return check(value);
      if (fault) throw fault;
      reading ??= readOn(read());
      return reading.then((use) => use(value));
    },
  };
}
