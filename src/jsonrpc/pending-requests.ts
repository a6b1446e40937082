/** Requests that were sent and have no response yet: their ids, timeouts and cancellation. */

import { onAbort } from '../timing/abort-signals.ts';
import { DeadlineTimer, deadlineIn } from '../timing/deadline-timer.ts';
import { monotonicNow } from '../timing/monotonic-now.ts';
import { ConnectionError, RpcError } from './errors.ts';
import { type Id, isErrorResponse, type Params, type Request, type Response } from './message.ts';
import { DEFAULT_MAXIMUM, DEFAULT_TIMEOUT, type TimeoutOptions } from './request-timeouts.ts';
import { SlotMap } from './slot-map.ts';

/** Options of one request, which the caller chooses. */
export interface PendingRequestOptions extends TimeoutOptions {
  /** Aborts the call. The request is then cancelled at the peer. */
  readonly signal?: AbortSignal | undefined;
}

/** Settings of one request that this package chooses. */
export interface PendingRequestDetails {
  /** The id of the request. Default: the next integer. */
  readonly id?: string;
  /** The name of the call in error messages. Default: the method. */
  readonly label?: string;
  /** Additional HTTP header fields of the request. Other transports ignore them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** True if the request is idempotent, so that the transport may send it again after a failure. */
  readonly repeatable?: boolean | undefined;
  /** Milliseconds that remain of the call's `maxTimeout`, if the call has sent other requests before. */
  readonly maxTimeout?: number | undefined;
}

/** Sends requests and cancellations for `PendingRequests`. */
export interface RequestSender {
  send(request: Request, details: PendingRequestDetails): void | Promise<void>;
  /** Cancels a request at the peer, after a timeout or an abort. `reason` is text for the peer. */
  cancel(id: Id, method: string, reason: string): void;
}

interface Pending {
  readonly method: string;
  readonly details: PendingRequestDetails;
  readonly started: number;
  readonly timeout: number;
  lastProgress: number | undefined;
  /** Number of reasons for which the idle timer is paused. It runs at 0. */
  pauses: number;
  /** Milliseconds that were left on the idle timer when it was paused. */
  left: number;
  /** Time at which the call fails without progress, by `monotonicNow`. `Infinity` while the idle timer is paused. */
  idleAt: number;
  /** Time at which the call fails even with progress, by `monotonicNow`. */
  readonly maximumAt: number;
  readonly unsubscribe: (() => void) | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Gives each request its id, and settles each call exactly once: by response, timeout, abort or close. */
export class PendingRequests {
  readonly #sender: RequestSender;
  readonly #defaults: TimeoutOptions;
  readonly #pending = new SlotMap<Id, Pending>();
  readonly #timer = new DeadlineTimer((time) => this.#expireAll(time));
  /** Number of pending calls with a finite timeout. At 0 the timer is stopped, so that it does not keep the process alive. */
  #limited = 0;
  #lastId = 0;
  #pauses = 0;
  #closed: Error | undefined;

  constructor(sender: RequestSender, defaults: TimeoutOptions = {}) {
    this.#sender = sender;
    this.#defaults = defaults;
  }

  /** Number of calls that have no response yet. */
  get size(): number {
    return this.#pending.size;
  }

  /** Sends a request and resolves to its result. `params` may be a function of the id, since a progress token is the id. */
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

  /** Settles the call that a response belongs to. Returns false if there is none, for instance after its timeout. */
  settle(response: Response): boolean {
    if (response.id == null) return false;
    if (isErrorResponse(response)) return this.fail(response.id, RpcError.from(response.error));
    const pending = this.#take(response.id);
    pending?.resolve(response.result);
    return pending !== undefined;
  }

  /** Fails the only pending call, for an error response without an id. Returns false if there are several calls or none. */
  failOnly(error: Error): boolean {
    const [only, another] = this.#pending.keys();
    return only !== undefined && another === undefined && this.fail(only, error);
  }

  /** True while the call with this id has no response. */
  has(id: Id): boolean {
    return this.#pending.has(id);
  }

  /** Fails one call, for instance because its response is unreadable. Returns false if there is no such call. */
  fail(id: Id, error: Error): boolean {
    const pending = this.#take(id);
    pending?.reject(error);
    return pending !== undefined;
  }

  /** Restarts the idle timer of a call whose peer reported progress. */
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

  /** Undoes one `pause`. The idle timer resumes when every `pause` is undone. */
  resume(id: Id): void {
    const pending = this.#pending.get(id);
    if (!pending || pending.pauses === 0) return;
    pending.pauses--;
    this.#startIdleTimer(pending);
  }

  /** Pauses the idle timers of the calls that are pending now, until the returned function is called. */
  pausePending(): () => void {
    const ids = this.#pending.keys();
    for (const id of ids) this.pause(id);
    return () => {
      for (const id of ids) this.resume(id);
    };
  }

  /** Pauses the idle timers of pending and later calls, until the returned function is called. */
  pauseIdleTimers(): () => void {
    if (++this.#pauses === 1) for (const id of this.#pending.keys()) this.pause(id);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#pauses === 0) for (const id of this.#pending.keys()) this.resume(id);
    };
  }

  /** Fails all pending calls, and every later call. */
  close(error: Error = new ConnectionError('closed', 'The connection is closed')): void {
    this.#closed ??= error;
    this.failAll(error);
  }

  /** Fails all pending calls. Later calls are not affected. */
  failAll(error: Error): void {
    for (const id of this.#pending.keys()) this.fail(id, error);
  }

  /** Removes a call from the pending ones. The caller settles it. */
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
      // The connection is broken, so no cancellation can be sent. The call has failed already.
    }
  }
}

/** Makes the error for a call that its caller aborted. */
export function aborted(label: string, signal: AbortSignal | undefined): ConnectionError {
  return new ConnectionError('aborted', `${label} was aborted by the caller`, { cause: signal?.reason });
}

function isLimited({ timeout, maximumAt }: Pending): boolean {
  return Number.isFinite(timeout) || Number.isFinite(maximumAt);
}
