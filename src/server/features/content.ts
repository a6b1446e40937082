/** Functions that make content blocks, for results, prompts and sampling. */

import { toBase64 } from '../../jsonrpc/base64.ts';
import type { Annotations, AudioContent, ImageContent, TextContent } from '../../protocol/model/content.ts';

/** Makes text content. */
export function text(text: string, annotations?: Annotations): TextContent {
  if (typeof text !== 'string') throw new TypeError('text needs a string');
  return { type: 'text', text, ...(annotations && { annotations }) };
}

/** Makes image content from bytes or base64 text. */
export function image(data: Uint8Array | string, mimeType: string, annotations?: Annotations): ImageContent {
  return { type: 'image', ...media('image', data, mimeType, 'image/png'), ...(annotations && { annotations }) };
}

/** Makes audio content from bytes or base64 text. */
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
