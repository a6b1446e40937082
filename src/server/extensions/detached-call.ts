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

/** Starts a task, runs the handler in it and returns the task's first result. If no task is started, returns that of `run`. */
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

/** Runs a handler that may call `ctx.detach()`. Resolves to the result of the task if it does, else to that of the handler. */
export function runUntilDetached(
  ctx: RequestContext,
  startTask: TaskStarter,
  run: () => MaybePromise<unknown>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let starting: Promise<StartedTask | undefined> | undefined;
    ctx.onDetach(async () => {
      starting ??= startWithinLimits(ctx, startTask);
      const task = await starting;
      if (!task) return;
      if (!ctx.isDetached) moveTo(ctx, task.call);
      resolve(task.result);
    });
    const running = (async () => run())();
    const settle = async (): Promise<void> => {
      await running.catch(() => {});
      ctx.onDetach(undefined);
      // The handler may return without awaiting `ctx.detach()`: its outcome goes to the task if one is being started.
      const task = await starting?.catch(() => undefined);
      if (task) await reportEnd(ctx, task.call, () => completeRoundTrips(ctx, run, running));
      else running.then(resolve, reject);
    };
    void settle();
  });
}

// Detached calls are not counted by `limits.inFlight`: `limits.detached` and the memory of the caller bound them.
async function startWithinLimits(
  { server, exchange }: RequestContext,
  startTask: TaskStarter,
): Promise<StartedTask | undefined> {
  const { extensions, limits, usage } = server;
  if (extensions.detached < limits.detached && usage.kept.hasRoom(exchange, 0)) return startTask();
  throw RpcError.internal('Too many detached calls are running: try again later');
}

function moveTo(ctx: RequestContext, call: DetachedCall): void {
  ctx.server.extensions.detached++;
  const { exchange, server, params } = ctx;
  ctx.detachTo(new DetachedExchange(exchange, call, new KeptBytes(server.usage, exchange.caller, callBytes(params))));
}

/** Calls `end` of the detached call once, with the outcome of the handler. Errors of `end` go to `onError`. */
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
    // The task reads members of the result, which encoded JSON does not have.
    return { result: result instanceof EncodedJson ? (result.toJSON() as object) : result };
  } catch (error) {
    return encodeError(ctx, error);
  }
}

/** The exchange of a detached call. It does not refer to the connection, which may close, and be freed, before the call ends. */
class DetachedExchange implements Exchange {
  readonly isDetached = true;
  readonly row: MethodRow | undefined;
  readonly trusted: boolean;
  readonly forceReruns = false;
  readonly session: Session | undefined;
  readonly principal: Principal | undefined;
  readonly caller: string;
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** The memory of the call, counted until its handler has settled. */
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
    // A client that cancels before the response is sent never gets the id of the task: the task is aborted.
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

  /** Does nothing: the request was answered, and no notification of a request may follow its response. */
  notify(): void {}

  /** Passes the input request to the task. Rejects when the signal aborts, even if the task never settles its promise. */
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

  /** Does nothing: `limits.detached` counts a detached call until its handler has settled. */
  keepRunning(): void {}

  onEnd(listener: () => void): void {
    this.onCancel(listener);
  }
}
