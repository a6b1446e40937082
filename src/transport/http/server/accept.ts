/** Parsing of the `Accept` and `Content-Type` header fields. */

/** Media types that a client accepts: JSON, SSE event streams and HTML. */
export interface Accept {
  readonly json: boolean;
  readonly events: boolean;
  /** True if `Accept` names `text/html` but not `text/event-stream`, as browsers do. Wildcards do not count. */
  readonly page: boolean;
}

const NOTHING_SAID: Accept = { json: true, events: false, page: false };
const USUAL = 'application/json, text/event-stream';
const BOTH: Accept = { json: true, events: true, page: false };
const EVENTS: Accept = { json: false, events: true, page: false };

/** Parses an `Accept` header field. A missing or empty field accepts JSON only. */
export function acceptOf(header: string | undefined): Accept {
  if (header === USUAL) return BOTH;
  if (header === 'text/event-stream') return EVENTS;
  if (header === undefined || header.trim() === '') return NOTHING_SAID;
  const ranges = rangesIn(header.toLowerCase());
  // The most specific media range decides (RFC 9110, section 12.5.1).
  const admits = (...types: string[]): boolean =>
    types.map((type) => ranges.get(type)).find((said) => said !== undefined) ?? false;
  return {
    json: admits('application/json', 'application/*', '*/*'),
    events: admits('text/event-stream', 'text/*', '*/*'),
    page: admits('text/html') && !admits('text/event-stream'),
  };
}

/** Returns the media ranges of an `Accept` header field; false for ranges with `q=0`, which the client refuses. */
function rangesIn(header: string): ReadonlyMap<string, boolean> {
  const ranges = header.split(',').map((range) => range.split(';').map((part) => part.trim()));
  return new Map(
    ranges.map(([type = '', ...parameters]) => [type, !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one))]),
  );
}

/** True if the media type is exactly `application/json`: web pages can send `text/plain` without a CORS preflight (CSRF). */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}
