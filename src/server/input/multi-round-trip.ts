/** Multi round-trip requests: runs a handler, and runs it again with the input responses that it requires. */

import { isPromise, type MaybePromise } from '../../jsonrpc/maybe-promise.ts';
import { missingCapability } from '../../protocol/errors.ts';
import { capabilityFor } from '../../protocol/input-responses.ts';
import type { InputRequest } from '../../protocol/model/input-requests.ts';
import { sleep } from '../../timing/sleep.ts';
import { SUSPEND_GRACE_MS } from '../limits/default-limits.ts';
import type { RequestContext } from '../request-context.ts';
import { inputNotAllowed } from './input-requests.ts';
import { InputRequired } from './input-required.ts';
import { openJournal, sealJournal } from './request-state.ts';

/** Milliseconds until a handler that returned `inputRequired` without `requests` runs again, if the client cannot retry. */
const RETRY_DELAY_MS = 250;

/** Runs a handler. Returns the handler's result, or an `InputRequiredResult` if the client has to retry the call with input. */
export function runWithInput(ctx: RequestContext, run: () => unknown): MaybePromise<unknown> {
  if (ctx.inputVia === 'retry' && ctx.row?.mayRequireInput && isRetry(ctx)) return resumeWithResponses(ctx, run);
  let first: unknown;
  try {
    first = run();
  } catch (error) {
    if (!ctx.usesJournal) throw error;
    return completeRoundTrips(ctx, run, Promise.reject(error));
  }
  if (ctx.usesJournal || first instanceof InputRequired) return completeRoundTrips(ctx, run, Promise.resolve(first));
  return isPromise(first) ? watch(ctx, run, Promise.resolve(first)) : first;
}

// Waits for the handler or its first input request, because a handler suspended by an input request might never settle.
function watch(ctx: RequestContext, run: () => unknown, running: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let isCompleting = false;
    // Has no effect the second time: `completeRoundTrips` reads `ctx.inputRequests`, and the first read calls `complete` again.
    const complete = (): void => {
      if (isCompleting) return;
      isCompleting = true;
      resolve(completeRoundTrips(ctx, run, running));
    };
    ctx.onFirstInputRequest(complete);
    running.then(
      (value) => (value instanceof InputRequired ? complete() : resolve(value)),
      (error) => ctx.usesJournal || reject(error),
    );
  });
}

function isRetry({ params }: RequestContext): boolean {
  return params['requestState'] !== undefined || params['inputResponses'] !== undefined;
}

async function resumeWithResponses(ctx: RequestContext, run: () => unknown): Promise<unknown> {
  ctx.inputRequests.journal = await openJournal(ctx);
  return completeRoundTrips(ctx, run, attempt(run));
}

/** Awaits a running handler, sends its input requests and reruns the handler, until there is a result for the client. */
export async function completeRoundTrips(
  ctx: RequestContext,
  run: () => unknown,
  first: Promise<unknown>,
): Promise<unknown> {
  const { inputRequests } = ctx;
  let running = first;
  for (;;) {
    const outcome = await outcomeOf(ctx, running);
    // The outcome of a suspended run is ignored, because a `catch` in the handler could have swallowed the `Suspension`.
    const { isSuspended } = inputRequests;
    if (!isSuspended && 'error' in outcome) throw outcome.error;
    if (!isSuspended && !(outcome.value instanceof InputRequired)) return outcome.value;

    await inputRequests.stepsDone();
    const requests = collectInputRequests(ctx, isSuspended ? undefined : (outcome.value as InputRequired));
    if (ctx.inputVia === 'retry') return toInputRequiredResult(ctx, requests);
    await sendInputRequests(ctx, requests);
    ctx.throwIfStopped();
    ctx.prepareRerun();
    running = attempt(run);
  }
}

// Waits until the handler settles. A suspended handler has `SUSPEND_GRACE_MS` for its `finally` blocks and is then ignored.
async function outcomeOf(
  ctx: RequestContext,
  running: Promise<unknown>,
): Promise<{ value?: unknown; error?: unknown }> {
  const handler = running.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = ctx.inputRequests.suspended.then(async () => {
    // Waits for running steps before `abortRun`, so that their values are recorded and the next run does not repeat the steps.
    await ctx.inputRequests.stepsDone();
    return new Promise<object>((resolve) => {
      timer = setTimeout(() => {
        ctx.abortRun(new Error('The handler was suspended by an input request'));
        timer = setTimeout(() => resolve({}), SUSPEND_GRACE_MS);
      }, 0);
    });
  });
  const outcome = await Promise.race([handler, late]);
  clearTimeout(timer);
  return outcome;
}

// Returns the input requests for the client and records them in the journal. Throws if `limits.roundTrips` is exceeded.
function collectInputRequests(
  ctx: RequestContext,
  returned: InputRequired | undefined,
): ReadonlyMap<string, InputRequest> {
  const { server, row, method, inputRequests } = ctx;
  const { journal, pending } = inputRequests;
  if (ctx.inputVia === 'retry' && !row?.mayRequireInput) throw inputNotAllowed(method);
  // Round trips without input requests are not counted, because a handler can wait for an event while the client retries.
  if (pending.size > 0 || (returned?.requests.size ?? 0) > 0) journal.roundTrips++;
  if (journal.roundTrips > server.limits.roundTrips) {
    throw new Error(
      `The handler requires input in more than ${server.limits.roundTrips} round trips ("limits.roundTrips")`,
    );
  }
  journal.openRequests.clear();
  if (!returned) {
    for (const [key, { journaled }] of pending) journal.openRequests.set(key, journaled);
    return new Map([...pending].map(([key, { request }]) => [key, request]));
  }
  journal.state = returned.state;
  for (const [key, request] of returned.requests) {
    const name = capabilityFor(request);
    if (!ctx.can(name)) throw missingCapability(name);
    // Records the method, to validate the response. An empty journal stays empty, so that no `requestState` has to be sent.
    if (!journal.isEmpty) {
      journal.openRequests.set(key, { method: request.method, fingerprint: '', viaInputRequired: true });
    }
  }
  return returned.requests;
}

async function sendInputRequests(
  { inputRequests }: RequestContext,
  requests: ReadonlyMap<string, InputRequest>,
): Promise<void> {
  const { journal } = inputRequests;
  if (requests.size === 0) await sleep(RETRY_DELAY_MS);
  await Promise.all(
    [...requests].map(async ([key, request]) => journal.record(key, await inputRequests.send(request))),
  );
}

async function toInputRequiredResult(
  ctx: RequestContext,
  requests: ReadonlyMap<string, InputRequest>,
): Promise<InputRequiredResult> {
  const { journal } = ctx.inputRequests;
  const inputRequests = [...requests].map(([key, request]) => [key, ctx.wire.encodeInputRequest(request)]);
  return new InputRequiredResult({
    ...(requests.size > 0 ? { inputRequests: Object.fromEntries(inputRequests) } : {}),
    ...(journal.isEmpty ? {} : { requestState: await sealJournal(ctx, journal) }),
  });
}

async function attempt(run: () => unknown): Promise<unknown> {
  return run();
}

/** An `input_required` result. It is a class, so that no return value of a handler can be mistaken for it. */
export class InputRequiredResult {
  readonly result: object;

  constructor(result: object) {
    this.result = result;
  }
}
