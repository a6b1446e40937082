/** What the desks and the counters of one server share. */

import { printable } from '../../../entries/mcpp.ts';
import { WallClockTimer } from '../../../timing/wall-clock-timer.ts';
import { memoryTaskStore } from '../memory-store.ts';
import type { TaskStore } from '../store.ts';
import { Places } from './places.ts';

/** Options of tasks on a server; none is needed. */
export interface TasksServerOptions {
  /** Where tasks are kept. Default: in memory, with the bounds `memoryTaskStore` has by default. */
  readonly store?: TaskStore;
  /** How long a task is kept from its creation on, in milliseconds; null is for ever. Default: 1 hour. */
  readonly ttlMs?: number | null;
  /** The longest that a client of 2025-11-25 can ask for. Default: 24 hours. */
  readonly maxTtlMs?: number;
  /** How often clients are told to ask for a task, in milliseconds. Default: 1000. */
  readonly pollIntervalMs?: number;
  /**
   * How many handlers may be at work for one principal, those included whose tasks are over already and that took no
   * notice. Callers nobody vouches for share only the server's bound for all, `limits.detached`. Default: 1000.
   */
  readonly runningPerOwner?: number;
  /** Hears what goes wrong where nobody waits for it: a store that fails. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** Where tasks are kept, for how long, and who is told when something goes wrong. */
export interface Office {
  readonly store: TaskStore;
  readonly ttlMs: number | null;
  readonly maxTtlMs: number;
  readonly pollIntervalMs: number;
  readonly alarms: WallClockTimer;
  /** The id of this process, kept with the tasks that it runs. */
  readonly node: string;
  /** One for each handler that is at work. */
  readonly running: Places;
  /** One for each task that a subscription tells of. */
  readonly subscribed: Places;
  /** For what nobody waits for. */
  readonly report: (error: unknown) => void;
}

const MAX_LINE = 1000;
const HOUR_MS = 60 * 60_000;
// A place is a watcher and an alarm: some hundred bytes.
const SUBSCRIBED = { all: 100_000, perOwner: 10_000 };
const STORE: readonly (keyof TaskStore)[] = ['create', 'get', 'change', 'list', 'watch'];

/** Opens an office; options that make no sense are told now. */
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
      // There is nobody else to tell.
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

// What a store throws may quote what a client sent.
function logError(error: unknown): void {
  const trace = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  const lines = trace.split('\n').map((line) => printable(line, MAX_LINE));
  console.error(`mcpp/extensions/tasks: ${lines.join('\n')}`);
}

function checkMilliseconds(name: string, value: unknown, or = ''): void {
  if (Number.isSafeInteger(value) && (value as number) > 0) return;
  throw new TypeError(`tasks: "${name}" must be a whole number of milliseconds, greater than 0${or}`);
}
