/** A JSON object whose members are not narrowed yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** A JSON Schema as it is sent: an object, never the boolean form. */
export type JsonSchema = JsonObject;

/** Cuts a text for an error message. The result is a copy: V8 implements `slice` as a view that keeps the string alive. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : copied(`${text.slice(0, length - 1)}…`);
}

/** Copies a text, so that the string that it was cut from can be collected. */
export function copied(text: string): string {
  return ` ${text}`.slice(1);
}

/** Returns the value if it is an array, otherwise an empty array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
