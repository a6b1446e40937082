/** The smallest picture and the shortest sound there are. */

import type { AudioContent, ImageContent, TextContent } from 'mcpp';

/** A red pixel, as PNG. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

/** No samples at all, as WAV. */
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

/** The picture as content. */
export const image: ImageContent = { type: 'image', data: PIXEL, mimeType: 'image/png' };

/** The sound as content. */
export const audio: AudioContent = { type: 'audio', data: SILENCE, mimeType: 'audio/wav' };

/** A piece of text. */
export function text(words: string): TextContent {
  return { type: 'text', text: words };
}
