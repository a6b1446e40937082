/** Text of a peer, made safe for terminals, logs and error messages. */

// C0, DEL and C1 controls, bidirectional marks, line and paragraph separators.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Returns the text, cut to `maxLength` characters, with control characters and bidirectional marks as `\u{...}`. */
export function printable(text: string, maxLength = 300): string {
  const kept = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
  return kept.replace(UNPRINTABLE, (mark) => `\\u{${mark.charCodeAt(0).toString(16)}}`);
}
