/** Constants and errors for the acknowledgement of `subscriptions/listen`. */

import { ConnectionError } from '../jsonrpc/errors.ts';

/** First notification that a server sends for a `subscriptions/listen` request. */
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
/** Milliseconds in which a server must acknowledge `subscriptions/listen`. */
export const ACKNOWLEDGE_MS = 30_000;

/** Creates the error for a `subscriptions/listen` request that the server did not acknowledge in time. */
export function unacknowledged(): ConnectionError {
  return new ConnectionError(
    'timeout',
    `subscriptions/listen timed out: the server did not acknowledge it within ${ACKNOWLEDGE_MS} ms`,
  );
}

/** Creates the error for a `subscriptions/listen` request that the server ended by responding to it. */
export function endedByServer(): ConnectionError {
  return new ConnectionError('failed', 'The server ended subscriptions/listen');
}
