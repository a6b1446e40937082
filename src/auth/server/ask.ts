/** Requests to an authorization server: no redirect is followed, and no answer is read that is slow or long. */

import { isObject } from '../../jsonrpc/message.ts';
import type { AuthStep } from '../errors.ts';

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  /** In lower case, without parameters. */
  readonly contentType: string;
  readonly body: string;
}

/** Sends a request; a text instead of an answer says why there is none. */
export type Ask = (url: string, init: AskInit) => Promise<Answer | string>;

/** What can be said of a request. */
export interface AskInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The most bytes of the answer that are read. Default: 1 MiB. */
  readonly maxBytes?: number;
  /** Gives it up. */
  readonly signal: AbortSignal;
}

/** Milliseconds that all requests for one thing may take together. */
export const MAX_ASKING_MS = 10_000;

const MAX_BYTES = 1024 * 1024;

/** Asks by the option "fetch", or by what the runtime has for that. */
export function asking(send: typeof fetch | undefined): Ask {
  if (send !== undefined && typeof send !== 'function') throw new TypeError('The option "fetch" must be a function');
  return async (url, { maxBytes = MAX_BYTES, ...init }) => {
    try {
      // The global one is looked up each time: tracing and tests put their own there.
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

/** The JSON object in an answer of status 200; a text says what it has instead. */
export function jsonObjectIn(answer: Answer | string): Record<string, unknown> | string {
  if (typeof answer === 'string') return answer;
  if (answer.status !== 200)
    return answer.status >= 300 && answer.status < 400 ? 'redirects are not followed' : 'not 200';
  try {
    const json: unknown = JSON.parse(answer.body);
    if (isObject(json)) return json;
  } catch {
    // The same as JSON that is no object.
  }
  return 'the answer is no JSON object';
}

/** A line of what was tried, for the operator. */
export function stepOf(what: string, url: string, answer: Answer | string, outcome: string): AuthStep {
  const { origin, pathname } = new URL(url);
  return { what, url: `${origin}${pathname}`, ...(typeof answer !== 'string' && { status: answer.status }), outcome };
}

async function textOf(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop ends the stream, and with it the connection.
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** What the runtime calls it, as `ECONNREFUSED`. */
function codeOf(error: unknown): string {
  const { code } = ((error as { cause?: unknown } | undefined)?.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}
