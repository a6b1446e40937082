/** A JSON object whose members have not been validated. */
export type JsonObject = { readonly [key: string]: unknown };

/** A JSON Schema object. The boolean schemas `true` and `false` are excluded. */
export type JsonSchema = JsonObject;

/** Truncates a text to `length` characters, `…` included. Copies the result: in V8, a slice keeps the whole text in memory. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : copied(`${text.slice(0, length - 1)}…`);
}

/** Copies a string that was sliced from a longer string, because V8 keeps the longer string in memory for the slice. */
export function copied(text: string): string {
  return ` ${text}`.slice(1);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
