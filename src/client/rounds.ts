/** A call that the server may answer with questions: answers them and calls again, until there is a result. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { aborted } from '../jsonrpc/outgoing.ts';
import type { Answer, Question } from '../protocol/model/questions.ts';
import type { Decoded } from '../protocol/revision.ts';
import type { RequestOptions } from './options.ts';
import { until } from './until.ts';

/** A call that waits for answers. It is JSON: it can be kept, and continued later or by another process. */
export interface PendingCall {
  readonly method: string;
  /** As the call was made. */
  readonly params: Params;
  /** What the server asks, by key. */
  readonly questions: Readonly<Record<string, Question>>;
  /** The server's own; it goes back as it came. */
  readonly state?: string;
}

/** How far a call got: it has its result, or it waits. */
export type Step =
  | { readonly done: true; readonly result: Record<string, unknown> }
  | { readonly done: false; readonly pending: PendingCall };

/** What the rounds of one call need. */
export interface Rounds {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
  /** How errors name the call. */
  readonly what: string;
  readonly maxRounds: number;
  /** Milliseconds for all rounds together, the time a person takes to answer included. */
  readonly budget: number;
  /** Ends with the conversation: whoever is being asked need not answer any more. */
  readonly ended: AbortSignal;
  send(params: Params, options: RequestOptions): Promise<Decoded>;
  answer(question: Question, signal: AbortSignal): Promise<Answer>;
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;

/** Goes through all rounds. Each is a request of its own, with an id of its own. */
export async function throughRounds(call: Rounds): Promise<Record<string, unknown>> {
  const deadline = Date.now() + call.budget;
  let { params } = call;
  let pauses = 0;
  for (let rounds = 0; ; ) {
    const decoded = await call.send(params, { ...call.options, maxTimeout: Math.max(deadline - Date.now(), 0) });
    if (decoded.type === 'complete') return decoded.result;
    const { requests, state } = decoded;
    if (requests.size > 0 && ++rounds > call.maxRounds) {
      throw new ConnectionError('failed', `${call.what}: the server asked more than ${call.maxRounds} times`);
    }
    // A server that asks nothing only wants time: it gets it, at a slowing pace.
    const answers =
      requests.size > 0
        ? await answerAll(call, requests, deadline)
        : await wait(call, Math.min(FIRST_PAUSE * 2 ** pauses++, LONGEST_PAUSE), deadline);
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
  call: Rounds,
  requests: ReadonlyMap<string, Question>,
  deadline: number,
): Promise<Record<string, Answer>> {
  const giveUp = new AbortController();
  const signals = [giveUp.signal, call.ended, ...(call.options.signal ? [call.options.signal] : [])];
  const signal = AbortSignal.any(signals);
  const answers = Promise.all(
    [...requests].map(async ([key, question]) => [key, await call.answer(question, signal)] as const),
  );
  const timeout = Math.max(deadline - Date.now(), 0);
  try {
    return Object.fromEntries(await until(answers, { what: call.what, timeout, signal }));
  } catch (error) {
    giveUp.abort(error);
    throw call.options.signal?.aborted ? aborted(call.what, call.options.signal) : error;
  }
}

async function wait(call: Rounds, milliseconds: number, deadline: number): Promise<undefined> {
  if (Date.now() + milliseconds > deadline) {
    throw new ConnectionError('timeout', `${call.what} timed out: the server wanted more time again and again`);
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  const signals = [call.ended, ...(call.options.signal ? [call.options.signal] : [])];
  try {
    await until(passed, { what: call.what, timeout: Number.POSITIVE_INFINITY, signal: AbortSignal.any(signals) });
  } finally {
    clearTimeout(timer);
  }
}
