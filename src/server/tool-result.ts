/** What a tool's handler returned, as a result: a string, content, a plain object or a whole result all mean something. */

import { isObject } from '../jsonrpc/message.ts';
import type { ContentBlock } from '../protocol/model/content.ts';
import type { CallToolResult } from '../protocol/model/tools.ts';
import { jsonOf, WrongReturn, wrongBlock, wrongContent, wrongMember, wrongValue } from './returned.ts';

/** The content of a result that is nothing but structured, before its text is made. */
export const NO_CONTENT: readonly ContentBlock[] = Object.freeze([]);

/**
 * The result a returned value stands for. With an output schema, anything but a whole result is structured. Throws a
 * `WrongReturn` for what no result can be made of; `name` is the tool's in it.
 */
export function toolResult(value: unknown, hasOutputSchema: boolean, name: string): CallToolResult {
  if (isResult(value, hasOutputSchema)) return value;
  // A schema library may make something of a value that is not JSON, so its output is what counts.
  if (!hasOutputSchema || isBytes(value)) refuseWrong(value, name);
  if (hasToJson(value)) return toolResult(value.toJSON(), hasOutputSchema, name);
  if (hasOutputSchema) return { content: NO_CONTENT, structuredContent: value };
  if (value === undefined || value === null) return { content: [] };
  if (isContent(value)) return { content: [value] };
  if (Array.isArray(value) && value.length > 0 && value.some(isContent)) return { content: allContent(value, name) };
  if (typeof value === 'object') return { content: NO_CONTENT, structuredContent: value };
  return { content: [{ type: 'text', text: String(value) }] };
}

/** The result with this structured content, which is there as text, too, for clients that know no other. */
export function withStructured(result: CallToolResult, structuredContent: unknown, name: string): CallToolResult {
  if (structuredContent === undefined) return result;
  refuseWrongData(structuredContent, name);
  if (result.content.length > 0 && result.structuredContent === structuredContent) return result;
  const content: readonly ContentBlock[] =
    result.content.length > 0 ? result.content : [{ type: 'text', text: jsonOf(structuredContent, name) }];
  return { ...result, content, structuredContent };
}

/** Throws if no result can be made of a value, or of what it has for members. */
export function refuseWrongData(value: unknown, name: string): void {
  const wrong = wrongValue(value);
  if (wrong !== undefined) throw new WrongReturn(`Tool "${name}" returned ${wrong}`);
  const inside = typeof value === 'object' && value !== null ? wrongMember(value) : undefined;
  if (inside !== undefined) throw new WrongReturn(`Tool "${name}" returned an object with ${inside}`);
}

// An object with `content` is meant as a whole result: to take it for data would hide every typing error in it.
function refuseWrong(value: unknown, name: string): void {
  const wrong = wrongValue(value);
  if (wrong !== undefined) throw new WrongReturn(`Tool "${name}" returned ${wrong}`);
  if (!isObject(value) || value['content'] === undefined || hasToJson(value)) return;
  const problem = wrongContent(value['content']) ?? '/isError must be true or false';
  throw new WrongReturn(
    `Tool "${name}" returned an object with "content" that is no result: ${problem}. If it is data, declare an outputSchema`,
  );
}

function allContent(blocks: readonly unknown[], name: string): readonly ContentBlock[] {
  if (blocks.every(isContent)) return blocks;
  const problem = wrongContent(blocks)?.replace('/content', '');
  throw new WrongReturn(`Tool "${name}" returned an array of content and other values: ${problem}`);
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
  return wrongBlock(value) === undefined;
}

// A date, for instance: what JSON makes of it is what it is on the wire.
function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return isObject(value) && typeof value['toJSON'] === 'function';
}

// A Buffer has a toJSON(), whose result fits the schema of any object.
function isBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}
