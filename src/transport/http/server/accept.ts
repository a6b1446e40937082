/** What kinds of content an HTTP client sends and wants. */

/** What an `Accept` header admits. */
export interface Accept {
  readonly json: boolean;
  readonly events: boolean;
  /** Only what is named counts: a browser names it, a program that takes anything does not. */
  readonly page: boolean;
}

const NOTHING_SAID: Accept = { json: true, events: false, page: false };
const USUAL = 'application/json, text/event-stream';
const BOTH: Accept = { json: true, events: true, page: false };
const EVENTS: Accept = { json: false, events: true, page: false };

/** Reads an `Accept` header. Who says nothing takes JSON. */
export function acceptOf(header: string | undefined): Accept {
  if (header === USUAL) return BOTH;
  if (header === 'text/event-stream') return EVENTS;
  if (header === undefined || header.trim() === '') return NOTHING_SAID;
  const ranges = rangesIn(header.toLowerCase());
  // The range that says most decides.
  const admits = (...types: string[]): boolean =>
    types.map((type) => ranges.get(type)).find((said) => said !== undefined) ?? false;
  return {
    json: admits('application/json', 'application/*', '*/*'),
    events: admits('text/event-stream', 'text/*', '*/*'),
    page: admits('text/html') && !admits('text/event-stream'),
  };
}

/** What a client names, and whether it wants it. */
function rangesIn(header: string): ReadonlyMap<string, boolean> {
  const ranges = header.split(',').map((range) => range.split(';').map((part) => part.trim()));
  return new Map(
    ranges.map(([type = '', ...parameters]) => [type, !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one))]),
  );
}

/** True for a body of JSON. The type is compared as a whole: browsers send other types without asking first. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}
