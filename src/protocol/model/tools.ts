/** Tools: functions a model may call. */

import type { ContentBlock } from './content.ts';
import type { Icon } from './implementation.ts';
import type { Meta } from './meta.ts';

/** A JSON Schema, as an object. */
export type JsonSchemaObject = Readonly<Record<string, unknown>>;

/** Hints on what a tool does; a client treats them as untrusted. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool as `tools/list` shows it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema?: JsonSchemaObject;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  /** Whether it can be called as a task: 2025-11-25 only, and gone from what other revisions list. */
  readonly execution?: { readonly taskSupport?: 'forbidden' | 'optional' | 'required' };
  readonly _meta?: Meta;
}

/** What `tools/call` gives. `isError` tells the model that the tool failed; it is not a protocol error. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}
