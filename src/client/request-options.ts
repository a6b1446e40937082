/** What can be chosen for one call. */

import type { PendingRequestOptions } from '../jsonrpc/pending-requests.ts';
import type { Meta } from '../protocol/model/meta.ts';
import type { HeaderFields } from './http-options.ts';

/** What progress a call made. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Options of one call. */
export interface RequestOptions extends PendingRequestOptions {
  /** Is told how far the server got. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Goes into `_meta` as it is: `traceparent`, or keys of your own. */
  readonly meta?: Meta | undefined;
  /** Calling twice does no more than calling once, so the call may be sent again to a server that crashed under it. */
  readonly idempotent?: boolean | undefined;
  /** Asks the server even if an earlier answer is still good. */
  readonly fresh?: boolean | undefined;
  /** Header fields of the requests this call makes, if it goes over HTTP. */
  readonly headers?: HeaderFields | undefined;
}
