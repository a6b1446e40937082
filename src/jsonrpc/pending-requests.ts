/** Requests that wait for a response: ids, timeouts and cancellation. */

import { onAbort } from '../timing/abort-signals.ts';
import { DeadlineTimer, deadlineIn } from '../timing/deadline-timer.ts';
import { monotonicNow } from '../timing/monotonic-now.ts';
import { ConnectionError, RpcError } from './errors.ts';
import { type Id, isErrorResponse, type Params, type Request, type Response } from './message.ts';
import { SlotMap } from './slot-map.ts';
import { DEFAULT_MAXIMUM, DEFAULT_TIMEOUT, type TimeoutOptions } from './timeout-options.ts';

/** Options that the caller of a request can set: timeouts and an abort signal. */
export interface PendingRequestOptions extends TimeoutOptions {
  /** When the signal aborts, the call rejects and the request is cancelled at the peer. */
  readonly signal?: AbortSignal | undefined;
}

/** Settings of a request that this package chooses, not the caller. */
export interface PendingRequestDetails {
  /** Request id. Default: the next integer. */
  readonly id?: string;
  /** Name of the call in error messages. Default: the method. */
  readonly label?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** True if the request is idempotent, so that the transport may send it again after a failure. */
  readonly repeatable?: boolean | undefined;
  /** Milliseconds left of the call's `maxTimeout`, for the second and later requests of one call. */
  readonly maxTimeout?: number | undefined;
}

export interface RequestSender {
  send(request: Request, details: PendingRequestDetails): void | Promise<void>;
  /** Cancels a request at the peer after a timeout or abort. `reason` is text for the peer. */
  cancel(id: Id, method: string, reason: string): void;
}

interface Pending {
  readonly method: string;
  readonly details: PendingRequestDetails;
  readonly started: number;
  readonly timeout: number;
  lastProgress: number | undefined;
  /** Number of `pause` calls without a `resume` call so far. The idle timer runs only at 0. */
  pauses: number;
  /** Milliseconds left on the idle timer when it starts or resumes. */
  left: number;
  /** `monotonicNow` time at which the call fails without progress; `Infinity` while the idle timer is paused. */
  idleAt: number;
  /** `monotonicNow` time at which the call fails even with progress. */
  readonly maximumAt: number;
  readonly unsubscribe: (() => void) | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Assigns request ids, and settles each call exactly once: by response, timeout, abort or close. */
export class PendingRequests {
  readonly #sender: RequestSender;
  readonly #defaults: TimeoutOptions;
  readonly #pending = new SlotMap<Id, Pending>();
  readonly #timer = new DeadlineTimer((time) => this.#expireAll(time));
  /** Number of pending calls with a finite timeout. At 0 the timer is stopped, because a timer keeps the process alive. */
  #limited = 0;
  #lastId = 0;
  #pauses = 0;
  #closed: Error | undefined;

  constructor(sender: RequestSender, defaults: TimeoutOptions = {}) {
    this.#sender = sender;
    this.#defaults = defaults;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Sends a request and resolves to its result. `params` may be a function of the id, because the id is the progress token. */
  request(
    method: string,
    params: Params | undefined | ((id: Id) => Params | undefined),
    options: PendingRequestOptions = {},
    details: PendingRequestDetails = {},
  ): Promise<unknown> {
    const { signal } = options;
    const { id = ++this.#lastId, label = method } = details;
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(aborted(label, signal));

    return new Promise((resolve, reject) => {
      const sent = typeof params === 'function' ? params(id) : params;
      const started = monotonicNow();
      const timeout = options.timeout ?? this.#defaults.timeout ?? DEFAULT_TIMEOUT;
      const maximum = details.maxTimeout ?? options.maxTimeout ?? this.#defaults.maxTimeout ?? DEFAULT_MAXIMUM;
      const pending: Pending = {
        method,
        details,
        started,
        timeout,
        lastProgress: undefined,
        pauses: this.#pauses > 0 ? 1 : 0,
        left: timeout,
        idleAt: Number.POSITIVE_INFINITY,
        maximumAt: deadlineIn(maximum, started),
        unsubscribe: signal && onAbort(signal, () => this.#cancel(id, aborted(label, signal), 'The caller gave up')),
        resolve,
        reject,
      };
      this.#pending.set(id, pending);
      if (isLimited(pending)) this.#limited++;
      this.#startIdleTimer(pending, started);
      this.#timer.set(pending.maximumAt);
      this.#send(id, method, sent, details);
    });
  }

  /** Resolves or rejects the call with the response's id. Returns false if no such call is pending, such as after a timeout. */
  settle(response: Response): boolean {
    if (response.id == null) return false;
    if (isErrorResponse(response)) return this.fail(response.id, RpcError.from(response.error));
    const pending = this.#take(response.id);
    pending?.resolve(response.result);
    return pending !== undefined;
  }

  /** Fails the only pending call, for an error response without an id. Returns false unless exactly one call is pending. */
  failOnly(error: Error): boolean {
    const [only, another] = this.#pending.keys();
    return only !== undefined && another === undefined && this.fail(only, error);
  }

  has(id: Id): boolean {
    return this.#pending.has(id);
  }

  /** Fails a call, for instance because its response is unreadable. Returns false if no call with this id is pending. */
  fail(id: Id, error: Error): boolean {
    const pending = this.#take(id);
    pending?.reject(error);
    return pending !== undefined;
  }

  /** Restarts the idle timer of a call after a progress notification. */
  progress(id: Id, progress?: number): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    pending.lastProgress = progress;
    pending.left = pending.timeout;
    this.#startIdleTimer(pending);
  }

  /** Pauses the idle timer of a call, for instance while the peer waits for an input response. `maxTimeout` still applies. */
  pause(id: Id): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    if (pending.pauses++ > 0) return;
    pending.left = pending.idleAt - monotonicNow();
    pending.idleAt = Number.POSITIVE_INFINITY;
  }

  /** Ends one pause. The idle timer resumes when all pauses of the call have ended. */
  resume(id: Id): void {
    const pending = this.#pending.get(id);
    if (!pending || pending.pauses === 0) return;
    pending.pauses--;
    this.#startIdleTimer(pending);
  }

  /** Pauses the idle timers of all calls that are pending now, until the returned function is called. */
  pausePending(): () => void {
    const ids = this.#pending.keys();
    for (const id of ids) this.pause(id);
    return () => {
      for (const id of ids) this.resume(id);
    };
  }

  /** Pauses the idle timers of all pending and future calls, until the returned function is called. */
  pauseIdleTimers(): () => void {
    if (++this.#pauses === 1) for (const id of this.#pending.keys()) this.pause(id);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#pauses === 0) for (const id of this.#pending.keys()) this.resume(id);
    };
  }

  /** Fails all pending and future calls with `error`. */
  close(error: Error = new ConnectionError('closed', 'The connection is closed')): void {
    this.#closed ??= error;
    this.failAll(error);
  }

  failAll(error: Error): void {
    for (const id of this.#pending.keys()) this.fail(id, error);
  }

  /** Removes a pending call, which the calling method must settle. */
  #take(id: Id): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    pending.unsubscribe?.();
    if (isLimited(pending) && --this.#limited === 0) this.#timer.stop();
    return pending;
  }

  #startIdleTimer(pending: Pending, time: number = monotonicNow()): void {
    if (pending.pauses > 0) return;
    pending.idleAt = deadlineIn(pending.left, time);
    this.#timer.set(pending.idleAt);
  }

  #send(id: Id, method: string, params: Params | undefined, details: PendingRequestDetails): void {
    const request: Request =
      params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
    try {
      const sent = this.#sender.send(request, details);
      if (sent) sent.catch((error: Error) => this.fail(id, error));
    } catch (error) {
      this.fail(id, error instanceof Error ? error : new ConnectionError('failed', 'The message could not be sent'));
    }
  }

  #expireAll(time: number): void {
    for (const id of this.#pending.keys()) {
      const pending = this.#pending.get(id);
      if (!pending) continue;
      const { idleAt, maximumAt } = pending;
      if (maximumAt <= Math.min(time, idleAt)) this.#expire(id, pending, 'the maximum for one call');
      else if (idleAt <= time) this.#expire(id, pending, 'no response and no progress');
      else this.#timer.set(Math.min(idleAt, maximumAt));
    }
  }

  #expire(id: Id, { started, lastProgress, method, details }: Pending, why: string): void {
    const { label = method } = details;
    const progress = lastProgress === undefined ? '' : `; last progress ${lastProgress}`;
    const text = `${label} timed out after ${Math.round(monotonicNow() - started)} ms (${why}${progress})`;
    this.#cancel(id, new ConnectionError('timeout', text), 'Timed out');
  }

  #cancel(id: Id, error: Error, reason: string): void {
    const pending = this.#take(id);
    if (!pending) return;
    pending.reject(error);
    try {
      this.#sender.cancel(id, pending.method, reason);
    } catch {
      // The cancellation cannot be sent over a broken connection. The call has already failed.
    }
  }
}

/** Creates the error of a call that its caller aborted. */
export function aborted(label: string, signal: AbortSignal | undefined): ConnectionError {
  return new ConnectionError('aborted', `${label} was aborted by the caller`, { cause: signal?.reason });
}

function isLimited({ timeout, maximumAt }: Pending): boolean {
  return Number.isFinite(timeout) || Number.isFinite(maximumAt);
}
