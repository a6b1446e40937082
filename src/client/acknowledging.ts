/** How a server takes `subscriptions/listen`, and what it is called if it does not. */

import { ConnectionError } from '../jsonrpc/errors.ts';

/** The notification that comes before all others. */
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
/** Milliseconds a server has for it. */
export const ACKNOWLEDGE_MS = 30_000;

/** The error if it did not come in time. */
export function unacknowledged(): ConnectionError {
  return new ConnectionError(
    'timeout',
    `subscriptions/listen timed out: the server did not acknowledge it within ${ACKNOWLEDGE_MS} ms`,
  );
}

/** The error if the server answered, which is the end of a subscription. */
export function endedByServer(): ConnectionError {
  return new ConnectionError('failed', 'The server ended subscriptions/listen');
}
