/** How a connection is served. */

import type { Principal } from '../protocol/principal.ts';
import type { RunningCalls } from './limits/connection-usage.ts';

/** What a connection is served with. */
export interface LineOptions {
  readonly principal: Principal | undefined;
  readonly forceReruns: boolean;
  /** Whose share of the server the connection uses. Default: the principal's. */
  readonly caller?: string | undefined;
  readonly running?: RunningCalls | undefined;
}
