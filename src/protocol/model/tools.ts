/** Tools: functions that a model can call. */

import type { ContentBlock } from './content.ts';
import type { Icon } from './implementation.ts';
import type { Meta } from './meta.ts';

/** A JSON Schema that is an object, not `true` or `false`. */
export type JsonSchemaObject = Readonly<Record<string, unknown>>;

/** JSON Schema keywords whose value maps names of the author's choice to schemas. Such a name may equal that of a keyword. */
export const NAMED_MEMBERS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  '$defs',
  'definitions',
]);

/** JSON Schema keywords whose values are data: a search for subschemas must not enter them. */
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
  /** Support for experimental tasks. Sent only in 2025-11-25. */
  readonly execution?: { readonly taskSupport?: 'forbidden' | 'optional' | 'required' };
  readonly _meta?: Meta;
}

/** Result of `tools/call`. With `isError: true` the tool failed, and `content` tells the model why. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}
