/** Makes received text safe for terminals, logs and error messages. */

// Matches C0 controls, DEL, C1 controls, bidirectional marks, and line and paragraph separators.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for control characters.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Maximum length of a received name in an error message, in characters. */
const MAX_NAME = 128;

/** Cuts text to `maxLength` characters (default: 300), and escapes control characters and bidirectional marks as `\u{...}`. */
export function printable(text: string, maxLength = 300): string {
  const kept = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
  return kept.replace(UNPRINTABLE, (mark) => `\\u{${mark.charCodeAt(0).toString(16)}}`);
}

/** Escapes control characters and bidirectional marks like `printable`, but keeps line feeds and does not cut the text. */
export function printableLines(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => printable(line, Number.POSITIVE_INFINITY)).join('\n');
}

/** Same as `printable`, with a default length of 128 characters, for received names in error messages. */
export function shorten(name: string, length: number = MAX_NAME): string {
  return printable(name, length);
}

/** Returns a received name as a JSON string for an error message, cut to 128 characters and escaped like `printable`. */
export function quoted(name: string): string {
  const cut = name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}...`;
  return printable(JSON.stringify(cut), Number.POSITIVE_INFINITY);
}
