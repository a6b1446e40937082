/** Digests of tool definitions, which show whether a tool has changed. */

import { canonicalJson } from '../jsonrpc/json/canonical-json.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { JsonSchemaObject, Tool } from '../protocol/model/tools.ts';
import { plainProperties } from '../protocol/stateful/wrap-structured.ts';

/** Key in `_meta` for the URI of a tool's view, from before `_meta.ui` was introduced. */
const FLAT_VIEW = 'ui/resourceUri';

/** Returns the SHA-256 digest of a tool definition in hex. The order of keys does not matter. */
export async function toolDigest(tool: Tool): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(definitionOf(tool)));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns the canonical JSON of a tool definition, as far as possible equal in all revisions. Left out are `icons` and
 * `execution`, which do not define what the tool does, and `_meta` except `ui` (MCP Apps), which can differ in each response.
 */
export function definitionOf(tool: Tool): string {
  const { name, title, description, inputSchema, outputSchema } = tool;
  const { title: hint, ...hints } = isObject(tool.annotations) ? tool.annotations : {};
  return canonicalJson({
    name,
    // Clients display `title`. Revision 2025-03-26 has only `annotations.title`.
    title: title ?? hint,
    description,
    inputSchema: schemaOf(inputSchema),
    outputSchema: schemaOf(outputSchema),
    annotations: Object.keys(hints).length > 0 ? hints : undefined,
    ui: isObject(tool._meta) ? viewOf(tool._meta) : undefined,
  });
}

function viewOf({ ui, [FLAT_VIEW]: uri }: Record<string, unknown>): unknown {
  return uri === undefined ? ui : { ui, uri };
}

function schemaOf(schema: JsonSchemaObject | undefined): unknown {
  return isObject(schema) ? plainProperties(schema) : schema;
}
