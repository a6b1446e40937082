/** Makes received text safe for terminals, logs and error messages. */

// C0, DEL and C1 controls, bidirectional marks, line and paragraph separators.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Characters of a received name in an error message. */
const MAX_NAME = 128;

/** Returns the text, cut to `maxLength` characters, with control characters and bidirectional marks as `\u{...}`. */
export function printable(text: string, maxLength = 300): string {
  const kept = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
  return kept.replace(UNPRINTABLE, (mark) => `\\u{${mark.charCodeAt(0).toString(16)}}`);
}

/** Like `printable`, without a maximum length and with line feeds kept. */
export function printableLines(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => printable(line, Number.POSITIVE_INFINITY)).join('\n');
}

/** Returns a received name for an error message: cut to 128 characters and printable. */
export function shorten(name: string, length: number = MAX_NAME): string {
  return printable(name, length);
}

/** Returns a received name for an error message: cut to 128 characters, printable and as a JSON string. */
export function quoted(name: string): string {
  const cut = name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}...`;
  return printable(JSON.stringify(cut), Number.POSITIVE_INFINITY);
}
