/** Detached calls: tool calls that continue as tasks after their request was answered. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { MaybePromise } from '../../jsonrpc/maybe-promise.ts';
import { EncodedJson, type Params } from '../../jsonrpc/message.ts';
import type { PendingRequestOptions } from '../../jsonrpc/pending-requests.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import type { MethodRow } from '../../protocol/methods.ts';
import type { InputRequest } from '../../protocol/model/input-requests.ts';
import type { Principal } from '../../protocol/principal.ts';
import type { Session } from '../../protocol/session.ts';
import { onAbort, unlessAborted } from '../../timing/abort-signals.ts';
import { encodeResult } from '../handle-request.ts';
import { encodeError, type HandlerOutcome } from '../handler-errors.ts';
import { completeRoundTrips, runWithInput } from '../input/multi-round-trip.ts';
import { callBytes, KeptBytes } from '../limits/usage.ts';
import type { RequestContext } from '../request-context.ts';
import type { DetachedCall, StartedTask, TaskStarter } from './extension.ts';

/** Runs a handler in a new task and returns `StartedTask.result`. If no task can start, returns the result of the handler. */
export async function runDetached(
  ctx: RequestContext,
  startTask: TaskStarter,
  run: () => MaybePromise<unknown>,
): Promise<unknown> {
  const task = await startWithinLimits(ctx, startTask);
  if (!task) return run();
  moveTo(ctx, task.call);
  void reportEnd(ctx, task.call, async () => runWithInput(ctx, run));
  return task.result;
}

/** Runs a handler. Resolves to `StartedTask.result` when the handler calls `ctx.detach()`, or else to the handler's result. */
export function runUntilDetached(
  ctx: RequestContext,
  startTask: TaskStarter,
  run: () => MaybePromise<unknown>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let starting: Promise<StartedTask | undefined> | undefined;
    ctx.onDetach(async () => {
      starting ??= startWithinLimits(ctx, startTask);
      const task = await starting.catch((error: unknown) => {
        starting = undefined;
        throw error;
      });
      if (!task) {
        // No task was started. A later `ctx.detach()` tries again.
        starting = undefined;
        return;
      }
      if (!ctx.isDetached) moveTo(ctx, task.call);
      resolve(task.result);
    });
    const running = (async () => run())();
    const settle = async (): Promise<void> => {
      await running.catch(() => {});
      ctx.onDetach(undefined);
      // A handler can settle without awaiting `ctx.detach()`. Its outcome then goes to the task that is being started.
      const task = await starting?.catch(() => undefined);
      if (task) await reportEnd(ctx, task.call, () => completeRoundTrips(ctx, run, running));
      else running.then(resolve, reject);
    };
    void settle();
  });
}

// Detached calls do not count against `limits.inFlight`, but against `limits.detached` and `limits.keptBytes`.
async function startWithinLimits(
  { server, exchange }: RequestContext,
  startTask: TaskStarter,
): Promise<StartedTask | undefined> {
  const { extensions, limits, usage } = server;
  if (extensions.detached >= limits.detached || !usage.kept.hasRoom(exchange, 0)) {
    throw RpcError.internal('Too many detached calls are running: try again later');
  }
  // The call is counted before its task starts, so that concurrent calls do not exceed the limit. `reportEnd` ends the count.
  extensions.detached++;
  let task: StartedTask | undefined;
  try {
    task = await startTask();
  } finally {
    if (!task) extensions.detached--;
  }
  return task;
}

function moveTo(ctx: RequestContext, call: DetachedCall): void {
  const { exchange, server, params } = ctx;
  ctx.detachTo(new DetachedExchange(exchange, call, new KeptBytes(server.usage, exchange.caller, callBytes(params))));
}

// Passes the outcome of the handler to `DetachedCall.end` and stops counting the call. Errors of `end` go to `onError`.
async function reportEnd(ctx: RequestContext, call: DetachedCall, run: () => Promise<unknown>): Promise<void> {
  try {
    await call.end(await outcomeOf(ctx, run));
  } catch (error) {
    ctx.server.report(error, { method: ctx.method, name: String(ctx.params['name']) });
  } finally {
    ctx.server.extensions.detached--;
    if (ctx.exchange instanceof DetachedExchange) ctx.exchange.kept.release();
  }
}

async function outcomeOf(ctx: RequestContext, run: () => Promise<unknown>): Promise<HandlerOutcome> {
  try {
    const result = encodeResult(ctx, await run());
    // Extensions read members of the result. `EncodedJson` is JSON text without members.
    return { result: result instanceof EncodedJson ? (result.toJSON() as object) : result };
  } catch (error) {
    return encodeError(ctx, error);
  }
}

/** Exchange of a detached call. It has no reference to the connection, which can be closed and freed before the call ends. */
class DetachedExchange implements Exchange {
  readonly isDetached = true;
  readonly row: MethodRow | undefined;
  readonly trusted: boolean;
  readonly forceReruns = false;
  readonly session: Session | undefined;
  readonly principal: Principal | undefined;
  readonly caller: string;
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** Memory of the call, counted against `limits.keptBytes` until the handler has settled. */
  readonly kept: KeptBytes;
  readonly #call: DetachedCall;
  readonly #abort = new AbortController();

  constructor(request: Exchange, call: DetachedCall, kept: KeptBytes) {
    this.row = request.row;
    this.trusted = request.trusted;
    this.session = request.session;
    this.principal = request.principal;
    this.caller = request.caller;
    this.headers = request.headers;
    this.kept = kept;
    this.#call = call;
    const { signal } = call;
    if (signal.aborted) this.#abort.abort(signal.reason);
    else signal.addEventListener('abort', () => this.#abort.abort(signal.reason), { once: true });
    // A client that cancels before the response is sent never gets the id of the task, so the handler is aborted.
    request.onCancel((reason) => this.#abort.abort(reason));
  }

  get cancelled(): boolean {
    return this.#abort.signal.aborted;
  }

  openSession(): void {
    throw new Error('A detached call cannot open a session');
  }

  growSession(): boolean {
    throw new Error('A detached call cannot change a session');
  }

  /** Does nothing, because no notification of a request may follow its response. */
  notify(): void {}

  /** Passes an input request to the task. Rejects when `signal` aborts, even if `DetachedCall.ask` never settles. */
  async ask(method: string, params: Params | undefined, { signal }: PendingRequestOptions): Promise<unknown> {
    signal?.throwIfAborted();
    const response = this.#call.ask({ method, ...(params ? { params } : {}) } as InputRequest);
    return signal ? unlessAborted(response, signal) : response;
  }

  progress(progress: number, total?: number, message?: string): void {
    this.#call.progress(progress, total, message);
  }

  onCancel(listener: (reason: unknown) => void): void {
    const { signal } = this.#abort;
    if (signal.aborted) listener(signal.reason);
    else onAbort(signal, () => listener(signal.reason));
  }

  /** Does nothing, because `limits.detached` counts the call until its handler has settled. */
  keepRunning(): void {}

  onEnd(listener: () => void): void {
    this.onCancel(listener);
  }
}
