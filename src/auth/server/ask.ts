/** HTTP requests to authorization servers: no redirects, limits of time and size. */

import { isObject } from '../../jsonrpc/message.ts';
import type { AuthStep } from '../errors.ts';

/** HTTP response with its complete body. */
export interface Answer {
  readonly status: number;
  /** Media type in lower case, without parameters. */
  readonly contentType: string;
  readonly body: string;
}

/** Sends a request. Resolves to the reason, as text, if there is no response. */
export type Ask = (url: string, init: AskInit) => Promise<Answer | string>;

export interface AskInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Maximum size of the response, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

/** Time limit for all requests of one operation together, in milliseconds. */
export const MAX_ASKING_MS = 10_000;

const MAX_BYTES = 1024 * 1024;

/** Returns the function that sends requests: by the option `fetch`, or by the global `fetch`. */
export function asking(send: typeof fetch | undefined): Ask {
  if (send !== undefined && typeof send !== 'function') throw new TypeError('The option "fetch" must be a function');
  return async (url, { maxBytes = MAX_BYTES, ...init }) => {
    try {
      // The global `fetch` is looked up for each request, because tracing and tests replace it.
      const response = await (send ?? fetch)(url, { ...init, redirect: 'manual' });
      const body = await textOf(response, maxBytes);
      if (body === undefined) return `the answer has more than ${maxBytes} bytes`;
      const [contentType = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
      return { status: response.status, contentType: contentType.trim().toLowerCase(), body };
    } catch (error) {
      return init.signal.aborted ? 'no answer came in time' : `it cannot be reached${codeOf(error)}`;
    }
  };
}

/** Returns the JSON object of a response with status 200; otherwise the reason, as text. */
export function jsonObjectIn(answer: Answer | string): Record<string, unknown> | string {
  if (typeof answer === 'string') return answer;
  if (answer.status !== 200)
    return answer.status >= 300 && answer.status < 400 ? 'redirects are not followed' : 'not 200';
  try {
    const json: unknown = JSON.parse(answer.body);
    if (isObject(json)) return json;
  } catch {
    // Invalid JSON gets the same reason as JSON that is not an object.
  }
  return 'the answer is no JSON object';
}

/** Creates a step for the error that the operator gets. The URL has no query. */
export function stepOf(what: string, url: string, answer: Answer | string, outcome: string): AuthStep {
  const { origin, pathname } = new URL(url);
  return { what, url: `${origin}${pathname}`, ...(typeof answer !== 'string' && { status: answer.status }), outcome };
}

async function textOf(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the stream and closes the connection.
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns the error code of the runtime in parentheses, such as `ECONNREFUSED`; empty if there is none. */
function codeOf(error: unknown): string {
  const { code } = ((error as { cause?: unknown } | undefined)?.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}
