/** A call that the server may answer with questions: answers them and calls again, until there is a result. */

import { ConnectionError, RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { Decoded } from '../protocol/revision.ts';
import { anySignal } from '../timing/abort-signals.ts';
import { sleep } from '../timing/sleep.ts';
import type { Call } from './call.ts';
import type { Conversation } from './conversation.ts';
import { until } from './until.ts';

/** A call that waits for answers. It is JSON: it can be kept, and continued later or by another process. */
export interface PendingCall {
  readonly method: string;
  /** As the call was made. */
  readonly params: Params;
  /** What the server asks, by key. */
  readonly questions: Readonly<Record<string, InputRequest>>;
  /** The server's own; it goes back as it came. */
  readonly state?: string;
}

/** How far a call got: it has its result, or it waits. */
export type CallState =
  | { readonly done: true; readonly result: Record<string, unknown> }
  | { readonly done: false; readonly pending: PendingCall };

/** What the rounds of calls need. */
export interface Rounds {
  readonly maxRoundTrips: number;
  send(conversation: Conversation, call: Call, params: Params): Promise<Decoded>;
  /** A round failed. Resolves when it is worth sending it again, and rejects with the error if it is not. */
  recover(conversation: Conversation, call: Call, error: unknown): Promise<void>;
  answer(question: InputRequest, signal: AbortSignal, conversation: Conversation): Promise<InputResponse>;
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;
const MAX_QUESTIONS = 100;

/** What a call comes to when nothing is asked any more. */
export type Settled = Exclude<Decoded, { type: 'input_required' }>;

/** Goes through all rounds. Each is a request of its own, with an id of its own. */
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
    // A server that asks nothing only wants time: it gets it, at a slowing pace.
    const answers =
      requests.size > 0
        ? await answerAll(conversation, call, requests, rounds)
        : await wait(conversation, call, Math.min(FIRST_PAUSE * 2 ** pauses++, LONGEST_PAUSE));
    params = nextParams(call.params, answers, state);
  }
}

/** The pending call a decoded answer stands for. */
export function pendingCall(
  method: string,
  params: Params,
  decoded: Extract<Decoded, { type: 'input_required' }>,
): PendingCall {
  const { requests, state } = decoded;
  return { method, params, questions: Object.fromEntries(requests), ...(state === undefined ? {} : { state }) };
}

/** Params of the next round: the call as it was made, the answers of this round, and the state as it came. */
export function nextParams(params: Params, answers: Params | undefined, state: string | undefined): Params {
  return {
    ...params,
    ...(answers ? { inputResponses: answers } : {}),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

// All at once; if one cannot be answered the others need not be.
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
  // It ends with the conversation: whoever is being asked need not answer any more.
  const { signal, release } = anySignal([giveUp.signal, ended, options.signal]);
  const answers = Promise.all(
    [...requests].map(async ([key, question]) => [key, await rounds.answer(question, signal, conversation)] as const),
  );
  try {
    // All rounds together have a deadline, the time a person takes to answer included.
    return Object.fromEntries(await until(answers, { what, timeout: left, signals: [ended, options.signal] }));
  } catch (error) {
    giveUp.abort(error);
    throw refusal(what, error);
  } finally {
    release();
  }
}

/** What went wrong in answering a question. The server is not told, so it is not the server's answer either. */
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
