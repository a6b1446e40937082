/** A JSON object whose members have not been looked at yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** A JSON Schema as it stands on the wire: always an object here, never the boolean form. */
export type JsonSchema = JsonObject;

/**
 * Cuts text of the peer so that an error message stays readable. The result is a copy: V8 implements `slice` as a view
 * that keeps the whole string alive.
 */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : copied(`${text.slice(0, length - 1)}…`);
}

/** The same text without any reference to the string that it was cut from. */
export function copied(text: string): string {
  return ` ${text}`.slice(1);
}
