/** One call on its way, whatever number of requests it takes. */

import { quoted } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { RequestOptions } from './request-options.ts';

/** What is known of it. */
export interface Call {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
  /** How errors name it. */
  readonly what: string;
  /** When it must be over, whatever it waits for. */
  readonly deadline: number;
  /** When it must have got further, or the server is too busy for it. */
  readonly patience: number;
  /** How often the server said that it is too busy. */
  busy: number;
  /** Whether the tools were listed because the headers did not match. */
  hasListed: boolean;
  /** Whether it is made once more because an extension knew how. */
  readonly hasRetried: boolean;
}

/** Milliseconds until the deadline. */
export function left(deadline: number): number {
  return Math.max(deadline - Date.now(), 0);
}

/** How errors name a call. */
export function nameOf(method: string, params: Params): string {
  const name = params['name'] ?? params['uri'];
  return typeof name === 'string' ? `${method} ${quoted(name)}` : method;
}
