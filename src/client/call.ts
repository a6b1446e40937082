/** One call on its way, whatever number of requests it takes. */

import type { Params } from '../jsonrpc/message.ts';
import type { PendingRequestDetails } from '../jsonrpc/pending-requests.ts';
import { quoted } from '../jsonrpc/printable.ts';
import type { HeaderFields } from './http-options.ts';
import type { RequestOptions } from './request-options.ts';

/** How long a call may take. */
export interface CallTimes {
  /** When it must be over, whatever it waits for. */
  readonly deadline: number;
  /** When it must have got further, or the server is too busy for it. */
  readonly patience: number;
}

/** What is known of it. */
export class Call implements CallTimes {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
  readonly deadline: number;
  readonly patience: number;
  /** Whether it is made once more because an extension knew how. */
  readonly hasRetried: boolean;
  /** How many requests it has taken, without those that the server would not look at. */
  legs = 0;
  /** How often the server said that it is too busy. */
  busy = 0;
  /** Whether the tools were listed because the headers did not match. */
  hasListed = false;

  constructor(method: string, params: Params, options: RequestOptions, times: CallTimes, hasRetried = false) {
    this.method = method;
    this.params = params;
    this.options = options;
    this.deadline = times.deadline;
    this.patience = times.patience;
    this.hasRetried = hasRetried;
  }

  /** How errors name it. */
  get what(): string {
    const name = this.params['name'] ?? this.params['uri'];
    return typeof name === 'string' ? `${this.method} ${quoted(name)}` : this.method;
  }

  /** Milliseconds until the deadline. */
  get left(): number {
    return left(this.deadline);
  }
}

/** One request of a call, as those see it who send it. */
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

/** Milliseconds until a time. */
export function left(deadline: number): number {
  return Math.max(deadline - Date.now(), 0);
}
