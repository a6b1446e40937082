/** State of a call, which can consist of several requests (retries, multi round-trip requests). */

import type { Params } from '../jsonrpc/message.ts';
import type { PendingRequestDetails } from '../jsonrpc/pending-requests.ts';
import { quoted } from '../jsonrpc/printable.ts';
import type { HeaderFields } from './http-options.ts';
import type { RequestOptions } from './request-options.ts';

/** Time limits of a call, as `Date.now()` timestamps. */
export interface CallTimes {
  /** Time at which the call fails, even if progress arrives: start of the call plus `maxTimeout`. */
  readonly deadline: number;
  /** Time after which the call is not retried on 429 or 503 responses: start of the call plus `timeout`. */
  readonly patience: number;
}

export class Call implements CallTimes {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
  readonly deadline: number;
  readonly patience: number;
  /** True if the params come from an extension's `retry` hook. The hook is then not called again. */
  readonly hasRetried: boolean;
  /** Number of requests sent for the current attempt, excluding those rejected with 429, 503 or `HeaderMismatch`. */
  legs = 0;
  /** Number of retries after 429 and 503 responses, during the whole call. */
  busy = 0;
  /** True if the tools were listed again after a `HeaderMismatch` error, which is done once per call. */
  hasListed = false;

  constructor(method: string, params: Params, options: RequestOptions, times: CallTimes, hasRetried = false) {
    this.method = method;
    this.params = params;
    this.options = options;
    this.deadline = times.deadline;
    this.patience = times.patience;
    this.hasRetried = hasRetried;
  }

  /** Name of the call in error messages: the method, and the name or URI in the params. */
  get what(): string {
    const name = this.params['name'] ?? this.params['uri'];
    return typeof name === 'string' ? `${this.method} ${quoted(name)}` : this.method;
  }

  get left(): number {
    return left(this.deadline);
  }
}

/** One request of a call, with its settings for sending. */
export class Leg implements PendingRequestDetails {
  readonly #call: Call;
  readonly headers: HeaderFields | undefined;
  readonly repeatable: boolean;
  readonly maxTimeout: number;

  constructor(call: Call, headers: HeaderFields | undefined, repeatable: boolean) {
    this.#call = call;
    this.headers = headers;
    this.repeatable = repeatable;
    this.maxTimeout = call.left;
  }

  get label(): string {
    return this.#call.what;
  }
}

/** Returns the milliseconds until a `Date.now()` timestamp, at least 0. */
export function left(deadline: number): number {
  return Math.max(deadline - Date.now(), 0);
}
