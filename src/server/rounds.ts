/** Answers a request whose handler may ask the client. */

import { canAsk } from '../protocol/methods.ts';
import type { RequestContext } from './context.ts';
import { InputRequired } from './input-required.ts';
import { isPromise, type Maybe } from './maybe.ts';
import { finishRounds, resume } from './rounds-asked.ts';

/** Gives what `run` gives, or the end of a round that stands before it. Code that never asks is not slowed down. */
export function runInRounds(ctx: RequestContext, run: () => unknown): Maybe<unknown> {
  if (ctx.asking === 'in rounds' && canAsk(ctx.method) && carriesAnswers(ctx)) {
    return resume(ctx, run);
  }
  let first: unknown;
  try {
    first = run();
  } catch (error) {
    if (!ctx.hasAsked) throw error;
    return finish(ctx, run, Promise.reject(error));
  }
  if (ctx.hasAsked || first instanceof InputRequired) return finish(ctx, run, Promise.resolve(first));
  return isPromise(first) ? watch(ctx, run, Promise.resolve(first)) : first;
}

// From the first question on it is no longer enough to wait for the handler: it may be suspended and not end.
function watch(ctx: RequestContext, run: () => unknown, running: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let isGoingOn = false;
    // Once: a handler that asked may return questions as well, and to go on with those is to ask.
    const goOn = (): void => {
      if (isGoingOn) return;
      isGoingOn = true;
      resolve(finish(ctx, run, running));
    };
    ctx.onFirstQuestion(goOn);
    running.then(
      (value) => (value instanceof InputRequired ? goOn() : resolve(value)),
      (error) => ctx.hasAsked || reject(error),
    );
  });
}

function finish(ctx: RequestContext, run: () => unknown, running: Promise<unknown>): Promise<unknown> {
  // It may fail before there is somebody to hear of it.
  running.catch(() => {});
  return finishRounds(ctx, run, running);
}

function carriesAnswers({ params }: RequestContext): boolean {
  return params['requestState'] !== undefined || params['inputResponses'] !== undefined;
}
