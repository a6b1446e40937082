/** Poll intervals of tasks, and retries of requests about tasks. */

import type { Connection, ConnectionState, ExtensionConnection } from '../../../entries/client.ts';
import { ConnectionError } from '../../../entries/mcpp.ts';
import { backoffDelay } from '../../../timing/backoff.ts';
import type { Task } from '../task.ts';

/** A connection whose state can be observed, such as the connections of `connect`. */
export type Ending = ExtensionConnection & Partial<Pick<Connection, 'state' | 'onState'>>;

// Range of accepted `pollIntervalMs`. Shorter intervals would flood the server, longer ones would look like a hang.
const SHORTEST_INTERVAL = 50;
const LONGEST_INTERVAL = 10 * 60_000;
// Interval if the server sets no `pollIntervalMs`: 1/20 of the time waited so far, from 1 to 30 seconds.
const FIRST_INTERVAL = 1000;
const LONGEST_OWN_INTERVAL = 30_000;
const SHARE_OF_AGE = 1 / 20;

// 8 attempts with 7 backoff delays of 91 seconds in total, which is enough for a server to restart.
const MAX_TRIES = 8;
const PAUSES = { minMs: 1000, maxMs: 30_000 };
const LONGEST_PAUSE_ASKED_FOR = 5 * 60_000;

const TRANSIENT: ReadonlySet<string> = new Set(['closed', 'timeout', 'unreachable', 'session-lost', 'failed']);
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Returns the milliseconds until the next poll. `age` is the time waited for the task so far, in milliseconds. */
export function intervalOf({ pollIntervalMs }: Pick<Task, 'pollIntervalMs'>, age: number): number {
  if (pollIntervalMs !== undefined) return Math.min(Math.max(pollIntervalMs, SHORTEST_INTERVAL), LONGEST_INTERVAL);
  return Math.min(Math.max(age * SHARE_OF_AGE, FIRST_INTERVAL), LONGEST_OWN_INTERVAL);
}

/** Waits. Resolves early if the signal aborts or the connection ends. The next request then rejects with the reason. */
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

/** Sends an idempotent request. Retries with backoff after transient errors, up to 8 attempts. */
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

/** Returns true if a retry can succeed, for instance after a lost connection, a timeout, or HTTP status 429 or 503. */
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
