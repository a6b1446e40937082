/** Multi round-trip requests: calls that are retried with input responses until the server returns a result. */

import { ConnectionError, RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { Decoded } from '../protocol/revision.ts';
import { anySignal } from '../timing/abort-signals.ts';
import { sleep } from '../timing/sleep.ts';
import type { Call } from './call.ts';
import type { Conversation } from './conversation.ts';
import { until } from './until.ts';

/** A call that waits for input responses. It is JSON, so that it can be stored, and resumed later or in another process. */
export interface PendingCall {
  readonly method: string;
  /** Params of the call, without input responses. */
  readonly params: Params;
  /** Input requests of the server, by key. */
  readonly questions: Readonly<Record<string, InputRequest>>;
  /** Opaque request state (`requestState`), which is returned to the server unchanged. */
  readonly state?: string;
}

/** The result of a call, or the pending call if the server needs input. */
export type CallState =
  | { readonly done: true; readonly result: Record<string, unknown> }
  | { readonly done: false; readonly pending: PendingCall };

export interface Rounds {
  readonly maxRoundTrips: number;
  send(conversation: Conversation, call: Call, params: Params): Promise<Decoded>;
  /** Called after a failed request. Resolves if the request should be sent again, and otherwise rejects with the error. */
  recover(conversation: Conversation, call: Call, error: unknown): Promise<void>;
  answer(question: InputRequest, signal: AbortSignal, conversation: Conversation): Promise<InputResponse>;
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;
const MAX_QUESTIONS = 100;

/** A decoded result without input requests. */
export type Settled = Exclude<Decoded, { type: 'input_required' }>;

/** Sends a call and retries it with input responses until it has a result. Each retry has its own id. */
export async function throughRounds(conversation: Conversation, call: Call, rounds: Rounds): Promise<Settled> {
  const { maxRoundTrips } = rounds;
  let { params } = call;
  let pauses = 0;
  for (let count = 0; ; ) {
    let decoded: Decoded;
    try {
      decoded = await rounds.send(conversation, call, params);
    } catch (error) {
      await rounds.recover(conversation, call, error);
      continue;
    }
    if (decoded.type !== 'input_required') return decoded;
    const { requests, state } = decoded;
    if (requests.size > 0 && ++count > maxRoundTrips) {
      throw new ConnectionError('failed', `${call.what}: the server asked more than ${maxRoundTrips} times`);
    }
    // `input_required` without input requests asks the client to retry later: with exponential backoff.
    const answers =
      requests.size > 0
        ? await answerAll(conversation, call, requests, rounds)
        : await wait(conversation, call, Math.min(FIRST_PAUSE * 2 ** pauses++, LONGEST_PAUSE));
    params = nextParams(call.params, answers, state);
  }
}

export function pendingCall(
  method: string,
  params: Params,
  decoded: Extract<Decoded, { type: 'input_required' }>,
): PendingCall {
  const { requests, state } = decoded;
  return { method, params, questions: Object.fromEntries(requests), ...(state === undefined ? {} : { state }) };
}

/** Returns the params of the next retry: those of the call, the input responses and the request state. */
export function nextParams(params: Params, answers: Params | undefined, state: string | undefined): Params {
  return {
    ...params,
    ...(answers ? { inputResponses: answers } : {}),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

// Handles all input requests concurrently. If one fails, the others are aborted.
async function answerAll(
  conversation: Conversation,
  { what, options, left }: Call,
  requests: ReadonlyMap<string, InputRequest>,
  rounds: Rounds,
): Promise<Record<string, InputResponse>> {
  const { ended } = conversation;
  if (requests.size > MAX_QUESTIONS) {
    throw new ConnectionError('malformed', `${what}: the server asked more than ${MAX_QUESTIONS} things at once`);
  }
  const giveUp = new AbortController();
  // The handlers are aborted when the connection ends, because their responses cannot be sent any more.
  const { signal, release } = anySignal([giveUp.signal, ended, options.signal]);
  const answers = Promise.all(
    [...requests].map(async ([key, question]) => [key, await rounds.answer(question, signal, conversation)] as const),
  );
  try {
    // `maxTimeout` limits all retries together, including the time that the user takes.
    return Object.fromEntries(await until(answers, { what, timeout: left, signals: [ended, options.signal] }));
  } catch (error) {
    giveUp.abort(error);
    throw refusal(what, error);
  } finally {
    release();
  }
}

/** Converts an `RpcError` of a handler to a `ConnectionError`, because callers take an `RpcError` for the server's response. */
export function refusal(what: string, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  return new ConnectionError('refused', `${what}: ${error.message}`, { cause: error });
}

async function wait(
  { ended }: Conversation,
  { what, options, deadline }: Call,
  milliseconds: number,
): Promise<undefined> {
  if (Date.now() + milliseconds > deadline) {
    throw new ConnectionError('timeout', `${what} timed out: the server wanted more time again and again`);
  }
  const { signal, release } = anySignal([ended, options.signal]);
  try {
    await until(sleep(milliseconds, signal), { what, timeout: Number.POSITIVE_INFINITY, signals: [signal] });
  } finally {
    release();
  }
}
