import { readSchema, type SchemaFault } from '../read/read-schema.ts';
import type { CheckedSchema } from './checked-schema.ts';
import { checkByEngine } from './engine-loader.ts';

/**
 * Prepares a received schema (of a tool's results, of an elicitation form), or returns why it is not used. The engine interprets
 * it: nothing is compiled to code. Patterns and formats are not evaluated. A value that would take too long to check is accepted
 * as `unchecked`.
 */
export function receivedSchema(schema: unknown): { readonly schema: CheckedSchema } | { readonly fault: SchemaFault } {
  const read = readSchema(schema);
  if ('fault' in read) return read;
  // Not supported, since the engine would search the whole document for the target of every `$dynamicRef`, for each value.
  if (read.schema.hasDynamicScope)
    return { fault: { path: '', message: 'has a $dynamicAnchor more than once, which is not supported' } };
  return { schema: { jsonSchema: read.schema.root, check: checkByEngine(read.schema, 'interpret') } };
}
