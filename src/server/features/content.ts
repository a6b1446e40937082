/** Makes content blocks for results, prompts and sampling, and validates those that handlers return. */

import { toBase64 } from '../../jsonrpc/base64.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type {
  Annotations,
  AudioContent,
  ContentBlock,
  ImageContent,
  TextContent,
} from '../../protocol/model/content.ts';

/** Makes a text content block. Throws a `TypeError` if `text` is not a string. */
export function text(text: string, annotations?: Annotations): TextContent {
  if (typeof text !== 'string') throw new TypeError('text needs a string');
  return { type: 'text', text, ...(annotations && { annotations }) };
}

/** Makes an image content block from bytes or base64 text. Throws a `TypeError` for other data, or without a MIME type. */
export function image(data: Uint8Array | string, mimeType: string, annotations?: Annotations): ImageContent {
  return { type: 'image', ...media('image', data, mimeType, 'image/png'), ...(annotations && { annotations }) };
}

/** Makes an audio content block from bytes or base64 text. Throws a `TypeError` for other data, or without a MIME type. */
export function audio(data: Uint8Array | string, mimeType: string, annotations?: Annotations): AudioContent {
  return { type: 'audio', ...media('audio', data, mimeType, 'audio/wav'), ...(annotations && { annotations }) };
}

function media(
  name: string,
  data: unknown,
  mimeType: unknown,
  example: string,
): { readonly data: string; readonly mimeType: string } {
  if (typeof mimeType !== 'string') throw new TypeError(`${name} needs a MIME type, as in ${name}(data, '${example}')`);
  if (typeof data === 'string') return { data, mimeType };
  if (data instanceof Uint8Array) return { data: toBase64(data), mimeType };
  throw new TypeError(`${name} needs bytes (Uint8Array) or base64 text`);
}

export function isContent(value: unknown): value is ContentBlock {
  return wrongBlock(value) === undefined;
}

/** Required members of content blocks, keyed by the block's `type`. Each must be a string. */
const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
]);

/** Returns the JSON Pointer and description of the first fault in the `content` of a result; undefined if there is no fault. */
export function wrongContent(content: unknown): string | undefined {
  if (!Array.isArray(content)) return '/content must be an array, such as [{ type: "text", text: "..." }]';
  for (const [index, block] of content.entries()) {
    const wrong = wrongBlock(block);
    if (wrong !== undefined) return `/content/${index}${wrong}`;
  }
  return undefined;
}

function wrongBlock(block: unknown): string | undefined {
  if (!isObject(block)) return ' must be an object with "type"';
  const { type, resource } = block;
  if (type === 'resource') {
    const hasUri = isObject(resource) && typeof resource['uri'] === 'string';
    return hasUri ? undefined : '/resource must be an object with "uri"';
  }
  const fields = FIELDS.get(type);
  if (!fields) return '/type must be "text", "image", "audio", "resource_link" or "resource"';
  for (const field of fields) if (typeof block[field] !== 'string') return `/${field} must be a string`;
  return undefined;
}
