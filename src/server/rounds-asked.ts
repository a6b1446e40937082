/** Answers a request whose handler asked: to its end, or until there is something the client has to answer first. */

import { capabilityFor } from '../protocol/answers.ts';
import { missingCapability } from '../protocol/errors.ts';
import { canAsk } from '../protocol/methods.ts';
import type { Question } from '../protocol/model/questions.ts';
import { encodeQuestion } from '../protocol/questions.ts';
import type { RequestContext } from './context.ts';
import { InputRequired } from './input-required.ts';
import type { Questions } from './questions.ts';
import { RoundEnd } from './round-end.ts';
import { openJournal, sealJournal } from './state.ts';

/** How long a handler may take to end after it was suspended, in milliseconds. */
const SETTLE_MS = 1000;
/** How long to wait before a handler is entered again that only wanted to wait. */
const WAIT_MS = 250;

/** Runs a handler whose client brings answers. */
export async function resume(ctx: RequestContext, run: () => unknown): Promise<unknown> {
  ctx.questions.journal = await openJournal(ctx);
  return finishRounds(ctx, run, attempt(run));
}

/** Goes on with a handler that is running, through all the rounds it takes. */
export async function finishRounds(ctx: RequestContext, run: () => unknown, first: Promise<unknown>): Promise<unknown> {
  const { questions } = ctx;
  let running = first;
  for (;;) {
    const outcome = await outcomeOf(ctx, questions, running);
    // Open questions decide, not what the handler made of its suspension: a `catch` may have swallowed it.
    const { isSuspended } = questions;
    if (!isSuspended && 'error' in outcome) throw outcome.error;
    if (!isSuspended && !(outcome.value instanceof InputRequired)) return outcome.value;

    await questions.stepsDone();
    const requests = closeRound(ctx, questions, isSuspended ? undefined : (outcome.value as InputRequired));
    if (ctx.asking === 'in rounds') return endRound(ctx, questions, requests);
    await answerLive(questions, requests);
    ctx.startAgain();
    running = attempt(run);
  }
}

// A handler that is suspended gets a moment to run its `finally` blocks; then it is not waited for any longer.
async function outcomeOf(
  ctx: RequestContext,
  questions: Questions,
  running: Promise<unknown>,
): Promise<{ value?: unknown; error?: unknown }> {
  const handler = running.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = questions.suspended.then(async () => {
    // What a step has begun is done before anything is aborted: it is not to be begun again.
    await questions.stepsDone();
    return new Promise<object>((resolve) => {
      timer = setTimeout(() => {
        ctx.abortRun(new Error('The handler was suspended by a question'));
        timer = setTimeout(() => resolve({}), SETTLE_MS);
      }, 0);
    });
  });
  const outcome = await Promise.race([handler, late]);
  clearTimeout(timer);
  return outcome;
}

/** Notes what is open, and gives the questions the client has to answer. */
function closeRound(
  ctx: RequestContext,
  questions: Questions,
  returned: InputRequired | undefined,
): ReadonlyMap<string, Question> {
  const { parts, method } = ctx;
  const { journal } = questions;
  if (ctx.asking === 'in rounds' && !canAsk(method)) {
    throw new Error(`The client cannot be asked anything while ${method} is answered`);
  }
  // A round that only waits asks nobody anything.
  if (questions.open.size > 0 || (returned?.requests.size ?? 0) > 0) journal.rounds++;
  if (journal.rounds > parts.limits.rounds) {
    throw new Error(`The handler asked in more than ${parts.limits.rounds} rounds`);
  }
  journal.asked.clear();
  if (!returned) {
    for (const [key, { asked }] of questions.open) journal.asked.set(key, asked);
    return new Map([...questions.open].map(([key, { question }]) => [key, question]));
  }
  journal.state = returned.state;
  for (const [key, question] of returned.requests) {
    const name = capabilityFor(question);
    if (!ctx.can(name)) throw missingCapability(name);
    // Where there is a state anyway, it tells what each answer has to look like.
    if (!journal.isEmpty) journal.asked.set(key, { method: question.method, fingerprint: '', returned: true });
  }
  return returned.requests;
}

async function answerLive(questions: Questions, requests: ReadonlyMap<string, Question>): Promise<void> {
  const { journal } = questions;
  if (requests.size === 0) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  await Promise.all(
    [...requests].map(async ([key, question]) => {
      const answer = await questions.sendLive(question);
      const asked = journal.asked.get(key);
      if (asked && !asked.returned) journal.answered.set(key, { ...asked, answer });
      else journal.given.set(key, answer);
    }),
  );
}

async function endRound(
  ctx: RequestContext,
  { journal }: Questions,
  requests: ReadonlyMap<string, Question>,
): Promise<RoundEnd> {
  const inputRequests = [...requests].map(([key, question]) => [key, encodeQuestion(question, ctx.wire.facts)]);
  return new RoundEnd({
    ...(requests.size > 0 ? { inputRequests: Object.fromEntries(inputRequests) } : {}),
    ...(journal.isEmpty ? {} : { requestState: await sealJournal(ctx, journal) }),
  });
}

async function attempt(run: () => unknown): Promise<unknown> {
  return run();
}
