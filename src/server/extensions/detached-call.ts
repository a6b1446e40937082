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
import { onAbort } from '../../timing/abort-signals.ts';
import { encodeResult } from '../handle-request.ts';
import { encodeError, type HandlerOutcome } from '../handler-errors.ts';
import { completeRoundTrips } from '../input/multi-round-trip.ts';
import { callBytes, KeptBytes } from '../limits/usage.ts';
import type { RequestContext } from '../request-context.ts';
import type { DetachedCall, StartedTask, TaskStarter } from './extension.ts';

/** Hands the call off and then runs it: the client hears nothing of the handler itself. */
export async function runDetached(
  ctx: RequestContext,
  takeOver: TaskStarter,
  run: () => MaybePromise<unknown>,
  runInRounds: () => MaybePromise<unknown>,
): Promise<unknown> {
  const handed = await startWithinLimits(ctx, takeOver);
  if (!handed) return run();
  const { result: answer, call: desk } = handed;
  moveTo(ctx, desk);
  void reportEnd(ctx, desk, async () => runInRounds());
  return answer;
}

/** Runs the call as ever, until its handler hands it off. */
export function runUntilDetached(
  ctx: RequestContext,
  takeOver: TaskStarter,
  run: () => MaybePromise<unknown>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let taken: Promise<StartedTask | undefined> | undefined;
    ctx.onDetach(async () => {
      taken ??= startWithinLimits(ctx, takeOver);
      const handed = await taken;
      if (!handed) return;
      if (!ctx.isDetached) moveTo(ctx, handed.call);
      resolve(handed.result);
    });
    const running = (async () => run())();
    const settle = async (): Promise<void> => {
      await running.catch(() => {});
      ctx.onDetach(undefined);
      // A handler may hand off and end without waiting for it.
      const handed = await taken?.catch(() => undefined);
      if (handed) await reportEnd(ctx, handed.call, () => completeRoundTrips(ctx, run, running));
      else running.then(resolve, reject);
    };
    void settle();
  });
}

/** Has it taken over, unless too many calls that were are still running: as requests they do not count any more. */
async function startWithinLimits(
  { server, exchange }: RequestContext,
  takeOver: TaskStarter,
): Promise<StartedTask | undefined> {
  const { extensions, limits, usage } = server;
  if (extensions.detached < limits.detached && usage.kept.hasRoom(exchange, 0)) return takeOver();
  throw RpcError.internal('Too many calls that were handed off are running: try again later');
}

function moveTo(ctx: RequestContext, desk: DetachedCall): void {
  ctx.server.extensions.detached++;
  const { exchange, server, params } = ctx;
  ctx.moveTo(new DetachedExchange(exchange, desk, new KeptBytes(server.usage, exchange.caller, callBytes(params))));
}

/** Tells the desk how it ended, once. */
async function reportEnd(ctx: RequestContext, desk: DetachedCall, run: () => Promise<unknown>): Promise<void> {
  try {
    await desk.end(await outcomeOf(ctx, run));
  } catch (error) {
    // There is nobody left to tell.
    ctx.server.report(error, { method: ctx.method, name: String(ctx.params['name']) });
  } finally {
    ctx.server.extensions.detached--;
    if (ctx.exchange instanceof DetachedExchange) ctx.exchange.kept.release();
  }
}

async function outcomeOf(ctx: RequestContext, run: () => Promise<unknown>): Promise<HandlerOutcome> {
  try {
    return { result: plain(encodeResult(ctx, await run())) };
  } catch (error) {
    return encodeError(ctx, error);
  }
}

// What is kept is looked at, unlike what is only sent.
function plain(result: object): object {
  return result instanceof EncodedJson ? (result.toJSON() as object) : result;
}

/** Goes on after the request; keeps nothing of the connection that brought it. */
class DetachedExchange implements Exchange {
  readonly isDetached = true;
  readonly row: MethodRow | undefined;
  readonly trusted: boolean;
  readonly forceReruns = false;
  readonly session: Session | undefined;
  readonly principal: Principal | undefined;
  readonly caller: string;
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** The memory of the call, until its handler has ended. */
  readonly kept: KeptBytes;
  readonly #desk: DetachedCall;
  readonly #end = new AbortController();

  constructor(request: Exchange, desk: DetachedCall, kept: KeptBytes) {
    this.row = request.row;
    this.trusted = request.trusted;
    this.session = request.session;
    this.principal = request.principal;
    this.caller = request.caller;
    this.headers = request.headers;
    this.kept = kept;
    this.#desk = desk;
    const { signal } = desk;
    if (signal.aborted) this.#end.abort(signal.reason);
    else signal.addEventListener('abort', () => this.#end.abort(signal.reason), { once: true });
    // Whoever gives the request up before its answer has left will never know who has the call.
    request.onCancel((reason) => this.#end.abort(reason));
  }

  get cancelled(): boolean {
    return this.#end.signal.aborted;
  }

  openSession(): void {
    throw new Error('A call that is answered already opens no session');
  }

  growSession(): boolean {
    throw new Error('A call that is answered already changes no session');
  }

  /** What belongs to a request cannot be said any more when that is answered. */
  notify(): void {}

  /** Also where nobody took the question: it ends with the call. */
  ask(method: string, params: Params | undefined, options: PendingRequestOptions): Promise<unknown> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const request = { method, ...(params ? { params } : {}) } as InputRequest;
    return new Promise((resolve, reject) => {
      const stopHearing = signal && onAbort(signal, () => reject(signal.reason));
      this.#desk
        .ask(request)
        .then(resolve, reject)
        .finally(() => stopHearing?.());
    });
  }

  progress(progress: number, total?: number, message?: string): void {
    this.#desk.progress(progress, total, message);
  }

  onCancel(listener: (reason: unknown) => void): void {
    const { signal } = this.#end;
    if (signal.aborted) listener(signal.reason);
    else onAbort(signal, () => listener(signal.reason));
  }

  /** It is over when its handler is. */
  keepRunning(): void {}

  onEnd(listener: () => void): void {
    this.onCancel(listener);
  }
}
