/** Calls that are answered before they are done: somebody takes them over, and the handler goes on. */

import { ApartExchange } from './apart.ts';
import type { RequestContext } from './context.ts';
import type { Desk, HandedOff } from './extension.ts';
import type { ExtensionResult } from './extension-result.ts';
import type { Maybe } from './maybe.ts';
import { failureOf, type Outcome, resultOf } from './outcome.ts';
import { finishRounds, runInRounds } from './rounds.ts';

/** Hands the call off and then runs it: the client hears nothing of the handler itself. */
export async function runApart(
  ctx: RequestContext,
  takeOver: () => Promise<HandedOff>,
  run: () => Maybe<unknown>,
): Promise<ExtensionResult> {
  const { answer, desk } = await takeOver();
  ctx.moveTo(new ApartExchange(ctx.exchange, desk));
  void follow(ctx, desk, async () => runInRounds(ctx, run));
  return answer;
}

/** Runs the call as ever, until its handler hands it off. */
export function runUntilHandOff(
  ctx: RequestContext,
  takeOver: () => Promise<HandedOff>,
  run: () => Maybe<unknown>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let taken: Promise<HandedOff> | undefined;
    ctx.onHandOff(async () => {
      taken ??= takeOver();
      const { answer, desk } = await taken;
      if (!ctx.isApart) ctx.moveTo(new ApartExchange(ctx.exchange, desk));
      resolve(answer);
    });
    const running = (async () => run())();
    const settle = async (): Promise<void> => {
      await running.catch(() => {});
      // A handler may hand off and end without waiting for it.
      const handed = await taken?.catch(() => undefined);
      if (handed) await follow(ctx, handed.desk, () => finishRounds(ctx, run, running));
      else running.then(resolve, reject);
    };
    void settle();
  });
}

/** Tells the desk how it ended, once. */
async function follow(ctx: RequestContext, desk: Desk, run: () => Promise<unknown>): Promise<void> {
  try {
    await desk.end(await outcomeOf(ctx, run));
  } catch (error) {
    // There is nobody left to tell.
    ctx.parts.report(error, { method: ctx.method, name: String(ctx.params['name']) });
  }
}

async function outcomeOf(ctx: RequestContext, run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { result: resultOf(ctx, await run()) };
  } catch (error) {
    return failureOf(ctx, error);
  }
}
