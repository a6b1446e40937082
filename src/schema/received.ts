/** Schemas that came from the other side: they are interpreted, never compiled. */

import { type CheckedSchema, checkBy } from './checked.ts';
import { interpret } from './interpret.ts';
import { readSchema, type SchemaFault } from './walker.ts';

/** Makes a schema of the peer ready, or returns why it cannot be used. It is interpreted, and its patterns are ignored. */
export function checkReceived(schema: unknown): { readonly schema: CheckedSchema } | { readonly fault: SchemaFault } {
  const read = readSchema(schema);
  if ('fault' in read) return read;
  return { schema: { jsonSchema: read.document.root, check: checkBy(read.document, interpret) } };
}
