/** What a tool's handler returned, as a result: a string, content, a plain object or a whole result all mean something. */

import { isObject } from '../jsonrpc/message.ts';
import type { ContentBlock } from '../protocol/model/content.ts';
import type { CallToolResult } from '../protocol/model/tools.ts';

const CONTENT_TYPES: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource_link', 'resource']);

/** The content of a result that is nothing but structured, before its text is made. */
export const NO_CONTENT: readonly ContentBlock[] = Object.freeze([]);

/** The result a returned value stands for. With an output schema, anything but a whole result is structured. */
export function toolResult(value: unknown, hasOutputSchema: boolean): CallToolResult {
  if (isResult(value, hasOutputSchema)) return value;
  if (hasToJson(value)) return toolResult(value.toJSON(), hasOutputSchema);
  if (hasOutputSchema) return { content: NO_CONTENT, structuredContent: value };
  if (value === undefined || value === null) return { content: [] };
  if (isContent(value)) return { content: [value] };
  if (Array.isArray(value) && value.every(isContent)) return { content: value };
  if (typeof value === 'object') return { content: NO_CONTENT, structuredContent: value };
  return { content: [{ type: 'text', text: String(value) }] };
}

/** The result with this structured content, which is there as text, too, for clients that know no other. */
export function withStructured(result: CallToolResult, structuredContent: unknown): CallToolResult {
  if (structuredContent === undefined) return result;
  if (result.content.length > 0 && result.structuredContent === structuredContent) return result;
  const content: readonly ContentBlock[] =
    result.content.length > 0 ? result.content : [{ type: 'text', text: JSON.stringify(structuredContent) }];
  return { ...result, content, structuredContent };
}

// With an output schema an object with `content` may be just what the schema describes.
function isResult(value: unknown, hasOutputSchema: boolean): value is CallToolResult {
  if (!isObject(value)) return false;
  const { content, isError } = value;
  if (hasOutputSchema && isError !== true && value['structuredContent'] === undefined) return false;
  return Array.isArray(content) && (isError === undefined || typeof isError === 'boolean') && content.every(isContent);
}

/** True for one piece of content. */
export function isContent(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false;
  const { type, text, data, mimeType, uri, resource } = value;
  if (!CONTENT_TYPES.has(type)) return false;
  if (type === 'text') return typeof text === 'string';
  if (type === 'resource') return isObject(resource) && typeof resource['uri'] === 'string';
  if (type === 'resource_link') return typeof uri === 'string' && typeof value['name'] === 'string';
  return typeof data === 'string' && typeof mimeType === 'string';
}

// A date, for instance: what JSON makes of it is what it is on the wire.
function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return isObject(value) && typeof value['toJSON'] === 'function';
}
