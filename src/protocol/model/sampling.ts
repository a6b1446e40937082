/** Sampling: with `sampling/createMessage`, a server requests a message from the client's model. */

import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from './content.ts';
import type { Meta } from './meta.ts';
import type { Tool } from './tools.ts';

/** A tool call by the model. Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
export interface ToolUseContent {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly _meta?: Meta;
}

/** Result of a tool call. Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
export interface ToolResultContent {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}

/** A block of a sampling message. Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** A message to or from the model. Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
export interface SamplingMessage {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly _meta?: Meta;
}

/** Hints for choosing the model. Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
export interface ModelPreferences {
  readonly hints?: readonly { readonly name?: string }[];
  readonly costPriority?: number;
  readonly speedPriority?: number;
  readonly intelligencePriority?: number;
}

/** `sampling/createMessage` params. Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
export interface CreateMessageParams {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly modelPreferences?: ModelPreferences;
  readonly includeContext?: 'none' | 'thisServer' | 'allServers';
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' };
}

/** `sampling/createMessage` result. Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. */
export interface CreateMessageResult {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly model: string;
  readonly stopReason?: string;
  readonly _meta?: Meta;
}
