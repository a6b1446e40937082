/** Requests this side has sent and not yet had answered. */

import { onAbort } from '../timing/abort-signals.ts';
import { DeadlineTimer, deadlineIn } from '../timing/deadline-timer.ts';
import { monotonicNow } from '../timing/monotonic-now.ts';
import { ConnectionError, RpcError } from './errors.ts';
import { type Id, isErrorResponse, type Params, type Request, type Response } from './message.ts';
import { SlotMap } from './slot-map.ts';

/** How long to wait. `Infinity` waits for ever; the maximum then still applies. */
export interface TimeoutOptions {
  /** Milliseconds without an answer or progress after which the call fails. Default: 5 minutes. */
  readonly timeout?: number | undefined;
  /** Milliseconds after which the call fails however much progress it makes. Default: 30 minutes. */
  readonly maxTimeout?: number | undefined;
}

/** Options of one outgoing request. */
export interface PendingRequestOptions extends TimeoutOptions {
  /** Gives the call up; the peer is told. */
  readonly signal?: AbortSignal | undefined;
}

/** What only some requests need. */
export interface PendingRequestDetails {
  /** The id to use, for a request whose id must not be one of the counted ones. */
  readonly id?: string;
  /** How errors name the call. Default: its method. */
  readonly what?: string;
  /** Header fields, for transports that have them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Carried out twice it does no more than once. */
  readonly repeatable?: boolean | undefined;
  /** What is left of the maximum, for a request that is not the first of its call. */
  readonly maxTimeout?: number | undefined;
}

/** What `OutgoingRequests` needs from its connection. */
export interface RequestSender {
  send(request: Request, details: PendingRequestDetails): void | Promise<void>;
  /** The call was given up: tell the peer, if it can be told. */
  cancel(id: Id, method: string, reason: string): void;
}

interface Pending {
  readonly method: string;
  readonly details: PendingRequestDetails;
  /** By `monotonicNow`, as the other times. */
  readonly started: number;
  readonly timeout: number;
  lastProgress: number | undefined;
  /** How many reasons there are for the idle clock to stand still. */
  pauses: number;
  /** What is left on the idle clock while it stands still. */
  left: number;
  /** When it is over without an answer or progress; and when it is in any case. */
  idleAt: number;
  readonly maximumAt: number;
  readonly stopHearing: (() => void) | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** For requests that something else than a clock ends. */
export const NO_TIMEOUT: TimeoutOptions = { timeout: Number.POSITIVE_INFINITY, maxTimeout: Number.POSITIVE_INFINITY };
/** Milliseconds without an answer or progress. */
export const DEFAULT_TIMEOUT: number = 5 * 60_000;
/** Milliseconds in all. */
export const DEFAULT_MAXIMUM: number = 30 * 60_000;

/** Gives each request its id, and settles each call exactly once: by answer, timeout, abort or close. */
export class PendingRequests {
  readonly #wire: RequestSender;
  readonly #defaults: TimeoutOptions;
  readonly #pending = new SlotMap<Id, Pending>();
  readonly #timer = new DeadlineTimer((time) => this.#expireAll(time));
  /** How many calls there are whose time is limited. */
  #limited = 0;
  #lastId = 0;
  #holds = 0;
  #closed: Error | undefined;

  constructor(wire: RequestSender, defaults: TimeoutOptions = {}) {
    this.#wire = wire;
    this.#defaults = defaults;
  }

  /** How many calls wait for an answer. */
  get size(): number {
    return this.#pending.size;
  }

  /** Sends a request. `params` may be made from the id, for protocols that repeat it inside. */
  request(
    method: string,
    params: Params | undefined | ((id: Id) => Params | undefined),
    options: PendingRequestOptions = {},
    details: PendingRequestDetails = {},
  ): Promise<unknown> {
    const { signal } = options;
    const { id = ++this.#lastId } = details;
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(aborted(details.what ?? method, signal));

    return new Promise((resolve, reject) => {
      const own = typeof params === 'function' ? params(id) : params;
      const started = monotonicNow();
      const timeout = options.timeout ?? this.#defaults.timeout ?? DEFAULT_TIMEOUT;
      const maximum = details.maxTimeout ?? options.maxTimeout ?? this.#defaults.maxTimeout ?? DEFAULT_MAXIMUM;
      const pending: Pending = {
        method,
        details,
        started,
        timeout,
        lastProgress: undefined,
        pauses: this.#holds > 0 ? 1 : 0,
        left: timeout,
        idleAt: Number.POSITIVE_INFINITY,
        maximumAt: deadlineIn(maximum, started),
        stopHearing: signal && this.#hear(signal, id, method, details),
        resolve,
        reject,
      };
      this.#pending.set(id, pending);
      if (isLimited(pending)) this.#limited++;
      this.#startClock(pending, started);
      this.#timer.set(pending.maximumAt);
      this.#send(id, method, own, details);
    });
  }

  /** Hands an answer to the call that waits for it. False if none does: the answer is late or not ours. */
  settle(response: Response): boolean {
    if (response.id == null) return false;
    if (isErrorResponse(response)) return this.fail(response.id, RpcError.from(response.error));
    const pending = this.#take(response.id);
    pending?.resolve(response.result);
    return pending !== undefined;
  }

  /** Fails the only call that waits, for an error that does not say whose it is. False if that cannot be known. */
  failOnly(error: Error): boolean {
    const [only, another] = this.#pending.keys();
    return only !== undefined && another === undefined && this.fail(only, error);
  }

  /** True while this call waits for its answer. */
  has(id: Id): boolean {
    return this.#pending.has(id);
  }

  /** Fails one call, for an answer that was ours and unreadable or that cannot come any more. */
  fail(id: Id, error: Error): boolean {
    const pending = this.#take(id);
    pending?.reject(error);
    return pending !== undefined;
  }

  /** The peer made progress: the idle clock starts anew. */
  progress(id: Id, progress?: number): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    pending.lastProgress = progress;
    pending.left = pending.timeout;
    this.#startClock(pending);
  }

  /** Stops the idle clock of one call, for instance while the peer waits for us. The maximum goes on. */
  pause(id: Id): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    if (pending.pauses++ > 0) return;
    pending.left = pending.idleAt - monotonicNow();
    pending.idleAt = Number.POSITIVE_INFINITY;
  }

  /** Lets the idle clock go on; whoever paused more than once has to resume as often. */
  resume(id: Id): void {
    const pending = this.#pending.get(id);
    if (!pending || pending.pauses === 0) return;
    pending.pauses--;
    this.#startClock(pending);
  }

  /** Stops the idle clocks of all calls; the returned function starts them again. */
  pauseAll(): () => void {
    const ids = this.#pending.keys();
    for (const id of ids) this.pause(id);
    return () => {
      for (const id of ids) this.resume(id);
    };
  }

  /** Likewise, and of those that begin meanwhile. */
  hold(): () => void {
    if (++this.#holds === 1) for (const id of this.#pending.keys()) this.pause(id);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#holds === 0) for (const id of this.#pending.keys()) this.resume(id);
    };
  }

  /** Fails everything that waits, and everything that comes after. */
  close(error: Error = new ConnectionError('closed', 'The connection is closed')): void {
    this.#closed ??= error;
    this.failAll(error);
  }

  /** Fails everything that waits. */
  failAll(error: Error): void {
    for (const id of this.#pending.keys()) this.fail(id, error);
  }

  /** Nobody waits for its answer any more, but whoever takes it. */
  #take(id: Id): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    pending.stopHearing?.();
    if (isLimited(pending) && --this.#limited === 0) this.#timer.stop();
    return pending;
  }

  #startClock(pending: Pending, time: number = monotonicNow()): void {
    if (pending.pauses > 0) return;
    pending.idleAt = deadlineIn(pending.left, time);
    this.#timer.set(pending.idleAt);
  }

  #hear(signal: AbortSignal, id: Id, method: string, { what = method }: PendingRequestDetails): () => void {
    return onAbort(signal, () => this.#giveUp(id, aborted(what, signal), 'The caller gave up'));
  }

  #send(id: Id, method: string, params: Params | undefined, details: PendingRequestDetails): void {
    const request: Request =
      params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
    try {
      const sent = this.#wire.send(request, details);
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
      else if (idleAt <= time) this.#expire(id, pending, 'no answer and no progress');
      else this.#timer.set(Math.min(idleAt, maximumAt));
    }
  }

  #expire(id: Id, { started, lastProgress, method, details }: Pending, why: string): void {
    const { what = method } = details;
    const progress = lastProgress === undefined ? '' : `; last progress ${lastProgress}`;
    const text = `${what} timed out after ${Math.round(monotonicNow() - started)} ms (${why}${progress})`;
    this.#giveUp(id, new ConnectionError('timeout', text), 'Timed out');
  }

  #giveUp(id: Id, error: Error, reason: string): void {
    const pending = this.#take(id);
    if (!pending) return;
    pending.reject(error);
    try {
      this.#wire.cancel(id, pending.method, reason);
    } catch {
      // A line that is broken cannot be told; the caller knows already.
    }
  }
}

/** The error of a call that its caller gave up. */
export function aborted(what: string, signal: AbortSignal | undefined): ConnectionError {
  return new ConnectionError('aborted', `${what} was aborted by the caller`, { cause: signal?.reason });
}

function isLimited({ timeout, maximumAt }: Pending): boolean {
  return Number.isFinite(timeout) || Number.isFinite(maximumAt);
}
