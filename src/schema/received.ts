/** A schema from the other side: it is looked at before it is used, and interpreted, never compiled. */

import { checkByEngine } from './by-engine.ts';
import type { CheckedSchema } from './checked.ts';
import { receivedPatterns } from './regex-matcher.ts';
import { readSchema, type SchemaFault } from './walker.ts';

/** Makes it ready, or says why it cannot be used. */
export function checkReceived(schema: unknown): { readonly schema: CheckedSchema } | { readonly fault: SchemaFault } {
  const read = readSchema(schema, receivedPatterns());
  if ('fault' in read) return read;
  return { schema: { jsonSchema: read.document.root, check: checkByEngine(read.document, 'interpret') } };
}
