/** Runs a handler that may ask: to its end, or until there is something the client has to answer first. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { capabilityFor, isAnswer, isAnyAnswer } from '../protocol/answers.ts';
import { missingCapability } from '../protocol/errors.ts';
import type { Question } from '../protocol/model/questions.ts';
import { principalKey } from '../protocol/principal.ts';
import { canonical } from './canonical.ts';
import type { RequestContext } from './context.ts';
import { InputRequired } from './input-required.ts';
import { Journal, type JournalJson } from './journal.ts';
import { isPromise, type Maybe } from './maybe.ts';

/** How long a handler may take to end after it was suspended, in milliseconds. */
const SETTLE_MS = 1000;
const MAX_STATE = 256 * 1024;

/** Gives what the handler gives, or the `input_required` result that stands before it. */
export function runInRounds(ctx: RequestContext, run: () => unknown): Maybe<unknown> {
  if (ctx.wire.facts.family === 'stateless' && carriesAnswers(ctx)) {
    return openJournal(ctx).then((journal) => {
      ctx.questions.journal = journal;
      return finish(ctx, run, attempt(run));
    });
  }
  let first: unknown;
  try {
    first = run();
  } catch (error) {
    if (!ctx.asked) throw error;
    return fail(ctx, run, error);
  }
  if (isPromise(first))
    return first.then(
      (value) => settle(ctx, run, value),
      (error) => fail(ctx, run, error),
    );
  return settle(ctx, run, first);
}

// The straight way for handlers that never asked.
function settle(ctx: RequestContext, run: () => unknown, value: unknown): Maybe<unknown> {
  return ctx.asked || value instanceof InputRequired ? finish(ctx, run, Promise.resolve(value)) : value;
}

function fail(ctx: RequestContext, run: () => unknown, error: unknown): Promise<unknown> {
  return ctx.asked ? finish(ctx, run, Promise.reject(error)) : Promise.reject(error);
}

async function finish(ctx: RequestContext, run: () => unknown, first: Promise<unknown>): Promise<unknown> {
  const { questions } = ctx;
  let running = first;
  for (let round = 1; ; round++) {
    const outcome = await outcomeOf(ctx, running);
    // Open questions decide, not what the handler made of its suspension: a `catch` may have swallowed it.
    const suspended = questions.open.size > 0 || questions.waiting;
    if (!suspended && 'error' in outcome) throw outcome.error;
    if (!suspended && !(outcome.value instanceof InputRequired)) return outcome.value;

    const requests = closeRound(ctx, suspended ? undefined : (outcome.value as InputRequired));
    if (ctx.wire.facts.family === 'stateless') return inputRequiredResult(ctx, requests);
    if (round >= ctx.parts.limits.rounds) throw new Error(`The handler asked in more than ${round} rounds`);
    await answerLive(ctx, requests);
    questions.startAgain();
    running = attempt(run);
  }
}

// A handler that is suspended gets a moment to run its `finally` blocks; then it is not waited for any longer.
async function outcomeOf(
  ctx: RequestContext,
  running: Promise<unknown>,
): Promise<{ value?: unknown; error?: unknown }> {
  const handler = running.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = ctx.questions.suspended.then(
    () =>
      new Promise<object>((resolve) => {
        timer = setTimeout(() => {
          ctx.abortRun(new Error('The handler was suspended by a question'));
          timer = setTimeout(() => resolve({}), SETTLE_MS);
        }, 0);
      }),
  );
  const outcome = await Promise.race([handler, late]);
  clearTimeout(timer);
  return outcome;
}

/** Notes what is open, and gives the questions the client has to answer. */
function closeRound(ctx: RequestContext, returned: InputRequired | undefined): ReadonlyMap<string, Question> {
  const { questions } = ctx;
  const { journal } = questions;
  journal.asked.clear();
  if (!returned) {
    for (const [key, { asked }] of questions.open) journal.asked.set(key, asked);
    return new Map([...questions.open].map(([key, { question }]) => [key, question]));
  }
  journal.state = returned.state;
  for (const question of returned.requests.values()) {
    const name = capabilityFor(question);
    if (!ctx.can(name)) throw missingCapability(name);
  }
  return returned.requests;
}

async function answerLive(ctx: RequestContext, requests: ReadonlyMap<string, Question>): Promise<void> {
  const { questions } = ctx;
  const { journal } = questions;
  if (requests.size === 0) await new Promise((resolve) => setTimeout(resolve, 250));
  await Promise.all(
    [...requests].map(async ([key, question]) => {
      const answer = await questions.sendLive(question);
      const asked = journal.asked.get(key);
      if (asked) journal.answered.set(key, { ...asked, answer });
      else journal.given.set(key, answer);
    }),
  );
}

async function inputRequiredResult(ctx: RequestContext, requests: ReadonlyMap<string, Question>): Promise<object> {
  const { journal } = ctx.questions;
  const inputRequests = [...requests].map(([key, question]) => [key, ctx.wire.encodeQuestion(question)]);
  return {
    resultType: 'input_required',
    ...(requests.size > 0 ? { inputRequests: Object.fromEntries(inputRequests) } : {}),
    ...(journal.isEmpty ? {} : { requestState: await sealJournal(ctx, journal) }),
  };
}

async function sealJournal(ctx: RequestContext, journal: Journal): Promise<string> {
  const { seal, limits } = ctx.parts;
  const text = JSON.stringify({ expires: Date.now() + limits.stateTtlMs, journal });
  if (text.length > MAX_STATE) {
    throw new Error(`The answers and steps of this call do not fit into ${MAX_STATE} characters of state`);
  }
  return seal.seal(text, bindingOf(ctx));
}

/** The journal a retry brings along, with the answers it brings entered. */
async function openJournal(ctx: RequestContext): Promise<Journal> {
  const { requestState, inputResponses } = ctx.params;
  const journal = requestState === undefined ? new Journal() : await unsealJournal(ctx, requestState);
  if (inputResponses === undefined) return journal;
  if (!isObject(inputResponses)) throw RpcError.invalidParams('"inputResponses" must be an object');
  for (const [key, answer] of Object.entries(inputResponses)) {
    const asked = journal.asked.get(key);
    // Only what was asked can be answered; anything else is at most input to a handler that returned its questions.
    if (asked && isAnswer(asked.method, answer)) journal.answered.set(key, { ...asked, answer });
    else if (!asked && isAnyAnswer(answer)) journal.given.set(key, answer);
  }
  return journal;
}

async function unsealJournal(ctx: RequestContext, state: unknown): Promise<Journal> {
  const text = typeof state === 'string' ? await ctx.parts.seal.open(state, bindingOf(ctx)) : undefined;
  const opened = text === undefined ? undefined : (JSON.parse(text) as { expires: number; journal: JournalJson });
  // One answer for every kind of wrong: it tells nothing about which.
  if (!opened || opened.expires < Date.now()) throw RpcError.invalidParams('Invalid or expired requestState');
  return Journal.from(opened.journal);
}

// Whose call this is, and which: a state is good for nothing else.
function bindingOf({ method, params, exchange, parts }: RequestContext): string {
  const { name, uri, arguments: args } = params;
  return canonical([parts.host.info.name, principalKey(exchange.principal), method, name ?? uri ?? null, args ?? {}]);
}

function carriesAnswers({ params }: RequestContext): boolean {
  return params['requestState'] !== undefined || params['inputResponses'] !== undefined;
}

async function attempt(run: () => unknown): Promise<unknown> {
  return run();
}
