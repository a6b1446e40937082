/** Tools: functions that a model can call. */

import type { ContentBlock } from './content.ts';
import type { Icon } from './implementation.ts';
import type { Meta } from './meta.ts';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchemaObject = Readonly<Record<string, unknown>>;

/** JSON Schema keywords whose value is an object with freely chosen keys, such as property names. No such key is a keyword. */
export const NAMED_MEMBERS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  '$defs',
  'definitions',
]);

/** JSON Schema keywords whose values are data and contain no subschemas. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Hints about the behaviour of a tool. Clients must treat them as untrusted. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** An entry of `tools/list`. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema?: JsonSchemaObject;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  /** Whether the tool supports the experimental tasks of 2025-11-25. Not sent in other revisions. */
  readonly execution?: { readonly taskSupport?: 'forbidden' | 'optional' | 'required' };
  readonly _meta?: Meta;
}

/** Result of `tools/call`. `isError: true` means that the tool failed; `content` then explains the failure to the model. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}

/** Returns the JSON of a tool result whose structured content is `json`. Its only content block is `json` as text. */
export function structuredResultText(json: string): string {
  return `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}}`;
}
