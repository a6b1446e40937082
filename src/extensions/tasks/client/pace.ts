/** How often a server is asked, and for how long one that cannot be reached is tried again. */

import type { Connection, ConnectionState, ExtensionConnection } from '../../../entries/client.ts';
import { ConnectionError } from '../../../entries/mcpp.ts';
import { backoffDelay } from '../../../timing/backoff.ts';
import type { Task } from '../task.ts';

/** A connection that tells when it ends, as those of `connect` do. */
export type Ending = ExtensionConnection & Partial<Pick<Connection, 'state' | 'onState'>>;

// What the server wants counts, but neither a flood nor a silence that looks like a fault.
const SHORTEST_INTERVAL = 50;
const LONGEST_INTERVAL = 10 * 60_000;
// Without a word of the server's: a second at first, and a twentieth of the time it has taken so far.
const FIRST_INTERVAL = 1000;
const LONGEST_OWN_INTERVAL = 30_000;
const SHARE_OF_AGE = 1 / 20;

// Eight times in a row, which takes a minute and a half: as long as a server may need to be started again.
const MAX_TRIES = 8;
const PAUSES = { minMs: 1000, maxMs: 30_000 };
const LONGEST_PAUSE_ASKED_FOR = 5 * 60_000;

const TRANSIENT: ReadonlySet<string> = new Set(['closed', 'timeout', 'unreachable', 'session-lost', 'failed']);
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Milliseconds between two looks at a task that has been waited for so long. */
export function intervalOf({ pollIntervalMs }: Pick<Task, 'pollIntervalMs'>, age: number): number {
  if (pollIntervalMs !== undefined) return Math.min(Math.max(pollIntervalMs, SHORTEST_INTERVAL), LONGEST_INTERVAL);
  return Math.min(Math.max(age * SHARE_OF_AGE, FIRST_INTERVAL), LONGEST_OWN_INTERVAL);
}

/** Waits. Ends early if the signal aborts, and if the connection is over: then the next request says why. */
export function rest(milliseconds: number, signal: AbortSignal, peer: Ending): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      forget?.();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, signal.aborted || hasEnded(peer) ? 0 : milliseconds);
    const forget = peer.onState?.((state) => {
      if (isOver(state)) done();
    });
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Sends something that may be sent twice, again and again while it fails for reasons that pass. */
export async function persistently<T>(send: () => Promise<T>, signal: AbortSignal, peer: Ending): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (!isTransient(error) || tries >= MAX_TRIES || signal.aborted || hasEnded(peer)) throw error;
      await rest(pauseAfter(error, tries), signal, peer);
      if (signal.aborted) throw error;
    }
  }
}

/** True if the same may succeed a little later. */
export function isTransient(error: unknown): error is ConnectionError {
  if (!(error instanceof ConnectionError)) return false;
  if (error.code !== 'http-error') return TRANSIENT.has(error.code);
  const { status = 0 } = error;
  return status >= 500 || TRANSIENT_STATUSES.has(status);
}

function pauseAfter({ retryAfterMs = 0 }: ConnectionError, tries: number): number {
  return Math.max(backoffDelay(tries - 1, PAUSES), Math.min(retryAfterMs, LONGEST_PAUSE_ASKED_FOR));
}

function hasEnded({ state }: Ending): boolean {
  return state !== undefined && isOver(state);
}

function isOver(state: ConnectionState): boolean {
  return state === 'closed' || state === 'failed';
}
