/** Options of one call. */

import type { PendingRequestOptions } from '../jsonrpc/pending-requests.ts';
import type { TimeoutOptions } from '../jsonrpc/timeout-options.ts';
import type { Meta } from '../protocol/model/meta.ts';
import type { HeaderFields } from './http-options.ts';

/** Progress of a call, from `notifications/progress`. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Options of one call. */
export interface RequestOptions extends PendingRequestOptions {
  /** Called with each progress notification of the call. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Additional members of `_meta`, such as `traceparent`. */
  readonly meta?: Meta | undefined;
  /** Whether a lost call may be sent again. Default: for `tools/call` by tool annotations; true for other core methods. */
  readonly idempotent?: boolean | undefined;
  /** True to ignore cached results. Default: false. */
  readonly fresh?: boolean | undefined;
  /** Additional header fields of the call's HTTP requests. */
  readonly headers?: HeaderFields | undefined;
}

/** Disables timeouts, for requests that stay open, such as `subscriptions/listen`. */
export const NO_TIMEOUT: TimeoutOptions = { timeout: Number.POSITIVE_INFINITY, maxTimeout: Number.POSITIVE_INFINITY };
