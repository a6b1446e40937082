/** Multi round-trip requests: runs a handler that may need input of the client, and runs it again with the input responses. */

import { isPromise, type MaybePromise } from '../../jsonrpc/maybe-promise.ts';
import { missingCapability } from '../../protocol/errors.ts';
import { capabilityFor } from '../../protocol/input-requests.ts';
import type { InputRequest } from '../../protocol/model/input-requests.ts';
import { SUSPEND_GRACE_MS } from '../limits/limits.ts';
import type { RequestContext } from '../request-context.ts';
import type { InputRequests } from './input-requests.ts';
import { InputRequired } from './input-required.ts';
import { openJournal, sealJournal } from './request-state.ts';

/** Gives what `run` gives, or the end of a round that stands before it. Code that never asks is not slowed down. */
export function runWithInput(ctx: RequestContext, run: () => unknown): MaybePromise<unknown> {
  if (ctx.inputVia === 'retry' && ctx.row?.mayRequireInput && isRetry(ctx)) {
    return resumeWithResponses(ctx, run);
  }
  let first: unknown;
  try {
    first = run();
  } catch (error) {
    if (!ctx.usesJournal) throw error;
    return finish(ctx, run, Promise.reject(error));
  }
  if (ctx.usesJournal || first instanceof InputRequired) return finish(ctx, run, Promise.resolve(first));
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
    ctx.onFirstInputRequest(goOn);
    running.then(
      (value) => (value instanceof InputRequired ? goOn() : resolve(value)),
      (error) => ctx.usesJournal || reject(error),
    );
  });
}

function finish(ctx: RequestContext, run: () => unknown, running: Promise<unknown>): Promise<unknown> {
  // It may fail before there is somebody to hear of it.
  running.catch(() => {});
  return completeRoundTrips(ctx, run, running);
}

function isRetry({ params }: RequestContext): boolean {
  return params['requestState'] !== undefined || params['inputResponses'] !== undefined;
}

/** How long to wait before a handler is entered again that only wanted to wait. */
const RETRY_DELAY_MS = 250;

/** Runs a handler whose client brings answers. */
export async function resumeWithResponses(ctx: RequestContext, run: () => unknown): Promise<unknown> {
  ctx.inputRequests.journal = await openJournal(ctx);
  return completeRoundTrips(ctx, run, attempt(run));
}

/** Goes on with a handler that is running, through all the rounds it takes. */
export async function completeRoundTrips(
  ctx: RequestContext,
  run: () => unknown,
  first: Promise<unknown>,
): Promise<unknown> {
  const { inputRequests: questions } = ctx;
  let running = first;
  for (;;) {
    const outcome = await outcomeOf(ctx, questions, running);
    // Open questions decide, not what the handler made of its suspension: a `catch` may have swallowed it.
    const { isSuspended } = questions;
    if (!isSuspended && 'error' in outcome) throw outcome.error;
    if (!isSuspended && !(outcome.value instanceof InputRequired)) return outcome.value;

    await questions.stepsDone();
    const requests = collectInputRequests(ctx, questions, isSuspended ? undefined : (outcome.value as InputRequired));
    if (ctx.inputVia === 'retry') return toInputRequiredResult(ctx, questions, requests);
    await sendInputRequests(questions, requests);
    ctx.prepareRerun();
    running = attempt(run);
  }
}

// A handler that is suspended gets a moment to run its `finally` blocks; then it is not waited for any longer.
async function outcomeOf(
  ctx: RequestContext,
  questions: InputRequests,
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
        timer = setTimeout(() => resolve({}), SUSPEND_GRACE_MS);
      }, 0);
    });
  });
  const outcome = await Promise.race([handler, late]);
  clearTimeout(timer);
  return outcome;
}

/** Notes what is open, and gives the questions the client has to answer. */
function collectInputRequests(
  ctx: RequestContext,
  questions: InputRequests,
  returned: InputRequired | undefined,
): ReadonlyMap<string, InputRequest> {
  const { server, row, method } = ctx;
  const { journal } = questions;
  if (ctx.inputVia === 'retry' && !row?.mayRequireInput) {
    throw new Error(`The client cannot be asked anything while ${method} is answered`);
  }
  // A round that only waits asks nobody anything.
  if (questions.pending.size > 0 || (returned?.requests.size ?? 0) > 0) journal.roundTrips++;
  if (journal.roundTrips > server.limits.roundTrips) {
    throw new Error(`The handler asked in more than ${server.limits.roundTrips} rounds`);
  }
  journal.openRequests.clear();
  if (!returned) {
    for (const [key, { asked }] of questions.pending) journal.openRequests.set(key, asked);
    return new Map([...questions.pending].map(([key, { question }]) => [key, question]));
  }
  journal.state = returned.state;
  for (const [key, question] of returned.requests) {
    const name = capabilityFor(question);
    if (!ctx.can(name)) throw missingCapability(name);
    // Where there is a state anyway, it tells what each answer has to look like.
    if (!journal.isEmpty)
      journal.openRequests.set(key, { method: question.method, fingerprint: '', viaInputRequired: true });
  }
  return returned.requests;
}

async function sendInputRequests(questions: InputRequests, requests: ReadonlyMap<string, InputRequest>): Promise<void> {
  const { journal } = questions;
  if (requests.size === 0) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  await Promise.all(
    [...requests].map(async ([key, question]) => {
      const answer = await questions.send(question);
      const asked = journal.openRequests.get(key);
      if (asked && !asked.viaInputRequired) journal.responses.set(key, { ...asked, answer });
      else journal.handlerInputs.set(key, answer);
    }),
  );
}

async function toInputRequiredResult(
  ctx: RequestContext,
  { journal }: InputRequests,
  requests: ReadonlyMap<string, InputRequest>,
): Promise<InputRequiredResult> {
  const inputRequests = [...requests].map(([key, question]) => [key, ctx.wire.encodeInputRequest(question)]);
  return new InputRequiredResult({
    ...(requests.size > 0 ? { inputRequests: Object.fromEntries(inputRequests) } : {}),
    ...(journal.isEmpty ? {} : { requestState: await sealJournal(ctx, journal) }),
  });
}

async function attempt(run: () => unknown): Promise<unknown> {
  return run();
}

/** An `input_required` result of this package's own making. A class, so that no data can pass for it. */
export class InputRequiredResult {
  readonly result: object;

  constructor(result: object) {
    this.result = result;
  }
}
