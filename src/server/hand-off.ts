/** Calls that are answered before they are done: somebody takes them over, and the handler goes on. */

import { RpcError } from '../jsonrpc/errors.ts';
import { EncodedJson } from '../jsonrpc/message.ts';
import { ApartExchange } from './apart.ts';
import type { RequestContext } from './context.ts';
import type { Desk, HandedOff, TakeOver } from './extension.ts';
import { callBytes, KeptBytes } from './limits/usage.ts';
import type { Maybe } from './maybe.ts';
import { failureOf, type Outcome, resultOf } from './outcome.ts';
import { finishRounds } from './rounds-asked.ts';

/** Hands the call off and then runs it: the client hears nothing of the handler itself. */
export async function runApart(
  ctx: RequestContext,
  takeOver: TakeOver,
  run: () => Maybe<unknown>,
  runInRounds: () => Maybe<unknown>,
): Promise<unknown> {
  const handed = await inBounds(ctx, takeOver);
  if (!handed) return run();
  const { answer, desk } = handed;
  moveTo(ctx, desk);
  void follow(ctx, desk, async () => runInRounds());
  return answer;
}

/** Runs the call as ever, until its handler hands it off. */
export function runUntilHandOff(ctx: RequestContext, takeOver: TakeOver, run: () => Maybe<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let taken: Promise<HandedOff | undefined> | undefined;
    ctx.onHandOff(async () => {
      taken ??= inBounds(ctx, takeOver);
      const handed = await taken;
      if (!handed) return;
      if (!ctx.isApart) moveTo(ctx, handed.desk);
      resolve(handed.answer);
    });
    const running = (async () => run())();
    const settle = async (): Promise<void> => {
      await running.catch(() => {});
      ctx.onHandOff(undefined);
      // A handler may hand off and end without waiting for it.
      const handed = await taken?.catch(() => undefined);
      if (handed) await follow(ctx, handed.desk, () => finishRounds(ctx, run, running));
      else running.then(resolve, reject);
    };
    void settle();
  });
}

/** Has it taken over, unless too many calls that were are still running: as requests they do not count any more. */
async function inBounds({ parts, exchange }: RequestContext, takeOver: TakeOver): Promise<HandedOff | undefined> {
  const { extensions, limits, usage } = parts;
  if (extensions.takenOver < limits.handedOff && usage.kept.hasRoom(exchange, 0)) return takeOver();
  throw RpcError.internal('Too many calls that were handed off are running: try again later');
}

function moveTo(ctx: RequestContext, desk: Desk): void {
  ctx.parts.extensions.takenOver++;
  const { exchange, parts, params } = ctx;
  ctx.moveTo(new ApartExchange(exchange, desk, new KeptBytes(parts.usage, exchange.caller, callBytes(params))));
}

/** Tells the desk how it ended, once. */
async function follow(ctx: RequestContext, desk: Desk, run: () => Promise<unknown>): Promise<void> {
  try {
    await desk.end(await outcomeOf(ctx, run));
  } catch (error) {
    // There is nobody left to tell.
    ctx.parts.report(error, { method: ctx.method, name: String(ctx.params['name']) });
  } finally {
    ctx.parts.extensions.takenOver--;
    if (ctx.exchange instanceof ApartExchange) ctx.exchange.kept.release();
  }
}

async function outcomeOf(ctx: RequestContext, run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { result: plain(resultOf(ctx, await run())) };
  } catch (error) {
    return failureOf(ctx, error);
  }
}

// What is kept is looked at, unlike what is only sent.
function plain(result: object): object {
  return result instanceof EncodedJson ? (result.toJSON() as object) : result;
}
