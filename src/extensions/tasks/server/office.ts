/** Options of tasks on a server, and the state that all tasks of the server share. */

import { printable } from '../../../entries/mcpp.ts';
import { WallClockTimer } from '../../../timing/wall-clock-timer.ts';
import { memoryTaskStore } from '../memory-store.ts';
import type { TaskStore } from '../store.ts';
import { Places } from './places.ts';

/** Options of `tasks` for servers. */
export interface TasksServerOptions {
  /** Task store. Default: `memoryTaskStore()`. */
  readonly store?: TaskStore;
  /** Lifetime of a task from its creation, in milliseconds; null for unlimited. Default: 1 hour. */
  readonly ttlMs?: number | null;
  /** Longest lifetime that a client of 2025-11-25 can request, in milliseconds. Default: 24 hours. */
  readonly maxTtlMs?: number;
  /** Poll interval that clients are asked to use, in milliseconds. Default: 1000. */
  readonly pollIntervalMs?: number;
  /**
   * Maximum number of running handlers of one principal, including those whose tasks have ended. For unauthenticated callers,
   * only `limits.detached` of the server applies. Default: 1000.
   */
  readonly runningPerOwner?: number;
  /** Called with errors that belong to no request, such as errors of the store. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** Settings and state that all tasks of a server share. */
export interface Office {
  readonly store: TaskStore;
  readonly ttlMs: number | null;
  readonly maxTtlMs: number;
  readonly pollIntervalMs: number;
  readonly alarms: WallClockTimer;
  /** Random id of this process, stored with the tasks whose handlers it runs. */
  readonly node: string;
  /** Running handlers, counted per owner. */
  readonly running: Places;
  /** Tasks in open subscriptions, counted per owner. */
  readonly subscribed: Places;
  /** Calls the option `onError`. Never throws. */
  readonly report: (error: unknown) => void;
}

const MAX_LINE = 1000;
const HOUR_MS = 60 * 60_000;
// Maximum number of subscribed tasks. Each takes a few hundred bytes, for a listener and a timer.
const SUBSCRIBED = { all: 100_000, perOwner: 10_000 };
const STORE: readonly (keyof TaskStore)[] = ['create', 'get', 'change', 'list', 'watch'];

/** Validates the options and creates the shared state. Throws a `TypeError` if an option is invalid. */
export function officeOf(options: TasksServerOptions = {}): Office {
  const { store = memoryTaskStore(), ttlMs = HOUR_MS, maxTtlMs = 24 * HOUR_MS, pollIntervalMs = 1000 } = options;
  const { runningPerOwner = 1000 } = options;
  const { onError = logError } = options;
  if (ttlMs !== null) checkMilliseconds('ttlMs', ttlMs, ', or null for ever');
  checkMilliseconds('maxTtlMs', maxTtlMs);
  checkMilliseconds('pollIntervalMs', pollIntervalMs);
  if (!(Number.isSafeInteger(runningPerOwner) && runningPerOwner > 0)) {
    throw new TypeError('tasks: "runningPerOwner" must be a whole number greater than 0');
  }
  const missing = STORE.filter((name) => typeof (store as Partial<TaskStore> | null)?.[name] !== 'function');
  if (missing.length > 0) throw new TypeError(`tasks: the "store" lacks ${missing.join(', ')}`);
  if (typeof onError !== 'function') throw new TypeError('tasks: "onError" must be a function');
  const report = (error: unknown): void => {
    try {
      onError(error);
    } catch {
      // Exceptions of `onError` are ignored.
    }
  };
  const running = new Places({ all: Number.POSITIVE_INFINITY, perOwner: runningPerOwner });
  const subscribed = new Places(SUBSCRIBED);
  return {
    store,
    ttlMs,
    maxTtlMs,
    pollIntervalMs,
    alarms: new WallClockTimer(),
    node: crypto.randomUUID(),
    running,
    subscribed,
    report,
  };
}

// Errors of a store can contain data from clients, so control characters are escaped to prevent log injection.
function logError(error: unknown): void {
  const trace = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  const lines = trace.split('\n').map((line) => printable(line, MAX_LINE));
  console.error(`mcpp/extensions/tasks: ${lines.join('\n')}`);
}

function checkMilliseconds(name: string, value: unknown, or = ''): void {
  if (Number.isSafeInteger(value) && (value as number) > 0) return;
  throw new TypeError(`tasks: "${name}" must be a whole number of milliseconds, greater than 0${or}`);
}
