/** What a tool is known by: everything that says what it does and takes, as one short text. */

import { canonicalJson } from '../jsonrpc/json/canonical-json.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { JsonSchemaObject, Tool } from '../protocol/model/tools.ts';
import { plainProperties } from '../protocol/stateful/wrap-structured.ts';

/** Where a tool named its view before there was `_meta.ui`. */
const FLAT_VIEW = 'ui/resourceUri';

/** SHA-256, in hex, of the canonical JSON of everything that defines a tool. Key order does not count. */
export async function toolDigest(tool: Tool): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(definitionOf(tool)));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The definition as text that is the same for equal ones, and as far as can be on every revision: what one of them says
 * elsewhere or in other words is brought to one place.
 *
 * `icons` and `execution` do not count: whether they are shown depends on the revision, and neither says what the tool
 * does. Of `_meta` only `ui` counts, the view that MCP Apps shows for the tool: the rest may be new each time.
 */
export function definitionOf(tool: Tool): string {
  const { name, title, description, inputSchema, outputSchema } = tool;
  const { title: hint, ...hints } = isObject(tool.annotations) ? tool.annotations : {};
  return canonicalJson({
    name,
    // Of the two people see this one; 2025-03-26 has no other place for it than the annotations.
    title: title ?? hint,
    description,
    inputSchema: schemaOf(inputSchema),
    outputSchema: schemaOf(outputSchema),
    annotations: Object.keys(hints).length > 0 ? hints : undefined,
    ui: isObject(tool._meta) ? viewOf(tool._meta) : undefined,
  });
}

// The view that a host shows for the tool, and what that may do.
function viewOf({ ui, [FLAT_VIEW]: uri }: Record<string, unknown>): unknown {
  return uri === undefined ? ui : { ui, uri };
}

function schemaOf(schema: JsonSchemaObject | undefined): unknown {
  return isObject(schema) ? plainProperties(schema) : schema;
}
