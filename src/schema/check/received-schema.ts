/** Received schemas: a tool's `outputSchema`, the schema of an elicitation form. */

import { readSchema, type SchemaFault } from '../read/read-schema.ts';
import type { CheckedSchema } from './checked-schema.ts';
import { checkByEngine } from './engine-loader.ts';

/**
 * Prepares a received schema, or returns why it is not used. The engine interprets it, so nothing is compiled to code;
 * patterns and formats are not evaluated. A value that would take too long to check is accepted as `unchecked`.
 */
export function receivedSchema(schema: unknown): { readonly schema: CheckedSchema } | { readonly fault: SchemaFault } {
  const read = readSchema(schema);
  if ('fault' in read) return read;
  // The engine searches the whole document for the target of each such reference, for each value.
  if (read.schema.hasDynamicScope) return { fault: { path: '', message: 'has one $dynamicAnchor in several places' } };
  return { schema: { jsonSchema: read.schema.root, check: checkByEngine(read.schema, 'interpret') } };
}
