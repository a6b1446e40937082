/** A JSON object whose members have not been looked at yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** A JSON Schema as it stands on the wire: always an object here, never the boolean form. */
export type JsonSchema = JsonObject;

/** One more step of a JSON Pointer, escaped as RFC 6901 asks. */
export function pointer(path: string, key: PropertyKey): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Text that may come from the other side, cut so that an error message stays readable. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
