/** Authors' schemas, ready to be sent and to check values: by their library, or raw ones by the engine. */

import type { JsonSchema } from '../json.ts';
import type { Direction } from '../local/libraries.ts';
import { isStandardSchema } from '../local/standard-schema.ts';
import { suspiciousKeywords } from '../local/suspicious-keywords.ts';
import { toJsonSchema } from '../local/to-json-schema.ts';
import type { Checked } from '../problems.ts';
import { readSchema, type SchemaFault } from '../read/read-schema.ts';
import { patternFault } from '../redos/redos.ts';
import { checkByEngine, loadEngine } from './engine-loader.ts';
import { checkByLibrary, checkReceivedByLibrary } from './library-check.ts';

/** A schema, ready to be sent and to check values. */
export interface CheckedSchema {
  readonly jsonSchema: JsonSchema;
  /** Synchronous, unless a schema library is asynchronous or the engine for raw schemas is still being loaded. */
  check(value: unknown): Checked | Promise<Checked>;
}

/**
 * Prepares an author's schema, or throws a TypeError with the place of the error. `where` names the schema in that error,
 * such as `Tool "add": inputSchema`.
 */
export function checkedSchema(schema: unknown, where: string, direction: Direction): CheckedSchema {
  const converted = toJsonSchema(schema, direction);
  if ('fault' in converted) throw schemaError(where, converted.fault);
  const { jsonSchema } = converted;
  // A library's schema has more than its JSON Schema says: defaults, transforms, refinements.
  if (isStandardSchema(schema)) {
    const check = direction === 'input' ? checkReceivedByLibrary : checkByLibrary;
    return { jsonSchema, check: (value) => check(schema, value) };
  }
  for (const { path, message } of suspiciousKeywords(jsonSchema)) console.error(`mcpp: ${where}${path}: ${message}`);
  const read = readSchema(jsonSchema, patternFault);
  if ('fault' in read) throw schemaError(where, read.fault);
  loadEngine()?.catch(() => {}); // The first check reports the error.
  return { jsonSchema, check: checkByEngine(read.schema, 'compile') };
}

function schemaError(where: string, { path, message }: SchemaFault): TypeError {
  return new TypeError(`${where}${path}: ${message}`);
}
