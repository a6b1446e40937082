/** A JSON object with unchecked members. */
export type JsonObject = { readonly [key: string]: unknown };

/** A JSON Schema as it is sent: an object, never the boolean form. */
export type JsonSchema = JsonObject;

/** Cuts a text to a length, for an error message. The result is a copy, since V8's `slice` keeps the whole string alive. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : copied(`${text.slice(0, length - 1)}…`);
}

/** Copies a slice, so that the whole string can be garbage-collected. */
export function copied(text: string): string {
  return ` ${text}`.slice(1);
}

/** Returns the value if it is an array, otherwise an empty array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
