/** The questions of one call: asked live where the client can be asked, in rounds where it has to call again. */

import { ErrorCode, RpcError, shorten } from '../../jsonrpc/errors.ts';
import { fingerprint } from '../../jsonrpc/json/canonical-json.ts';
import { missingCapability } from '../../protocol/errors.ts';
import { capabilityFor, isInputResponse } from '../../protocol/input-requests.ts';
import type { MethodRow } from '../../protocol/methods.ts';
import type { ClientCapabilityName } from '../../protocol/model/capabilities.ts';
import type { InputRequest, InputResponse } from '../../protocol/model/input-requests.ts';
import type { Call, Revision } from '../../protocol/revision.ts';
import type { ServerInternals } from '../internals.ts';
import { Suspension } from './input-required.ts';
import { Journal, type JournaledRequest } from './journal.ts';

/** What the questions of a request need of it. */
export interface InputCaller extends Call {
  readonly row: MethodRow | undefined;
  readonly wire: Revision;
  /** How the client can be asked now. */
  readonly inputVia: Revision['features']['inputVia'];
  /** Settles when it is known whether that changes; undefined while it does not. */
  readonly detaching: Promise<void> | undefined;
  readonly server: ServerInternals;
  readonly signal: AbortSignal;
  can(capability: ClientCapabilityName): boolean;
}

/** Keeps the journal of a call, and the questions that are open in this run of its handler. */
export class InputRequests {
  readonly call: InputCaller;
  readonly pending: Map<string, { readonly question: InputRequest; readonly asked: JournaledRequest }> = new Map();
  /** The handler waits for something the client cannot answer: it has to call again later. */
  isWaiting = false;
  journal: Journal = new Journal();
  /** Resolves when this run is suspended. */
  suspended: Promise<void>;
  #suspend: () => void = () => {};
  readonly #ordinals = new Map<string, number>();
  /** The keys this run has used. */
  readonly #keys = new Set<string>();
  /** The steps this run has come to. */
  readonly #stepNames = new Set<string>();
  readonly #runningSteps = new Set<Promise<unknown>>();
  readonly #elicitationIds = new WeakMap<InputRequest, string>();

  constructor(asker: InputCaller) {
    this.call = asker;
    this.suspended = this.#newSuspension();
  }

  /** True if the handler is ended by its questions and run again with the answers. */
  get viaRetry(): boolean {
    const { inputVia: asking, exchange, row } = this.call;
    return asking === 'retry' || (exchange.forceReruns && row?.mayRequireInput === true);
  }

  /** True if this run has ended because of its questions. */
  get isSuspended(): boolean {
    return this.pending.size > 0 || this.isWaiting;
  }

  /** Puts a question, or gives the answer it had in an earlier run. Registers at once, so that two make one round. */
  request(
    question: InputRequest,
    key: string | undefined,
    accepts: (answer: InputResponse) => boolean | Promise<boolean>,
    signal?: AbortSignal,
  ): Promise<InputResponse> {
    const name = key ?? this.#nextKey(question.method);
    const { detaching: handingOff } = this.call;
    if (handingOff) {
      // Whom to ask is not known yet.
      const ask = (): Promise<InputResponse> => this.request(question, name, accepts, signal);
      return handingOff.then(ask, ask);
    }
    const asked = { method: question.method, fingerprint: fingerprint(question) };
    try {
      this.#requireCapability(question);
      if (this.#keys.has(name)) throw new Error(`Two questions of one call have the key "${name}"`);
      this.#keys.add(name);
      const known = this.journal.responses.get(name);
      if (known && known.fingerprint === asked.fingerprint)
        return this.#checkAgain(name, known.answer, question, asked, accepts);
      if (!this.viaRetry) return this.#sendUntilAccepted(name, question, asked, accepts, signal);
      return this.#addPending(name, question, asked);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Ends this run without a question: the client is to call again. */
  suspendUntilRetry(): Promise<never> {
    this.isWaiting = true;
    return this.#suspendRun();
  }

  /** Runs `fn` once per call and remembers what it gave. */
  async step<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    if (this.#stepNames.has(name)) throw new Error(`Two steps of one call have the name "${name}"`);
    this.#stepNames.add(name);
    const known = this.journal.steps.get(name);
    if (known) return known.value as T;
    const running = this.#runStep(name, fn);
    this.#runningSteps.add(running);
    try {
      return await running;
    } catch (error) {
      // What failed was not done, and may be tried again.
      this.#stepNames.delete(name);
      throw error;
    } finally {
      this.#runningSteps.delete(running);
    }
  }

  /** Settles when no step is running any more. */
  async stepsDone(): Promise<void> {
    await Promise.allSettled(this.#runningSteps);
  }

  /** Sends a question now and waits for the answer. */
  async send(question: InputRequest, takenBack?: AbortSignal): Promise<InputResponse> {
    const { exchange, wire } = this.call;
    const signal = takenBack ? AbortSignal.any([this.call.signal, takenBack]) : this.call.signal;
    const { method, params } = wire.encodeInputRequest(question);
    if (!exchange.ask) throw missingCapability(capabilityFor(question));
    // A person may take as long as they like: only the call itself and the hard maximum end the wait.
    const answer = await exchange
      .ask(method, params, { timeout: Number.POSITIVE_INFINITY, signal })
      .catch((error: unknown) => Promise.reject(toInputError(method, error)));
    if (!isInputResponse(method, answer)) throw RpcError.internal(`The client's answer to ${method} is malformed`);
    if (params && typeof params['elicitationId'] === 'string')
      this.#elicitationIds.set(question, params['elicitationId']);
    return answer;
  }

  /** The id a question by URL went out with, where the revision has such ids. */
  elicitationId(question: InputRequest): string | undefined {
    return this.#elicitationIds.get(question);
  }

  /** Makes ready for another run of the handler. */
  reset(): void {
    this.pending.clear();
    this.#ordinals.clear();
    this.#keys.clear();
    this.#stepNames.clear();
    this.isWaiting = false;
    this.suspended = this.#newSuspension();
  }

  async #checkAgain(
    name: string,
    answer: InputResponse,
    question: InputRequest,
    asked: JournaledRequest,
    accepts: (answer: InputResponse) => boolean | Promise<boolean>,
  ): Promise<InputResponse> {
    if (await accepts(answer)) return answer;
    // What does not fit the form is no answer: the person is asked again.
    this.journal.responses.delete(name);
    return this.viaRetry
      ? this.#addPending(name, question, asked)
      : this.#sendUntilAccepted(name, question, asked, accepts);
  }

  async #sendUntilAccepted(
    name: string,
    question: InputRequest,
    asked: JournaledRequest,
    accepts: (answer: InputResponse) => boolean | Promise<boolean>,
    signal?: AbortSignal,
  ): Promise<InputResponse> {
    for (let attempt = 0; attempt < this.call.server.limits.roundTrips; attempt++) {
      const answer = await this.send(question, signal);
      if (!(await accepts(answer))) continue;
      this.journal.responses.set(name, { ...asked, answer });
      return answer;
    }
    throw RpcError.internal(`The client's answers to ${question.method} do not fit what was asked`);
  }

  #addPending(name: string, question: InputRequest, asked: JournaledRequest): Promise<never> {
    if (this.call.inputVia === 'retry' && !this.call.row?.mayRequireInput) {
      throw new Error(`The client cannot be asked anything while ${this.call.method} is answered`);
    }
    this.pending.set(name, { question, asked });
    return this.#suspendRun();
  }

  #suspendRun(): Promise<never> {
    this.#suspend();
    const ended = Promise.reject(new Suspension('The handler is suspended until the client has answered'));
    // Somebody may ask and never look at the promise; that is no reason to end the process.
    ended.catch(() => {});
    return ended;
  }

  #requireCapability(question: InputRequest): void {
    const name = capabilityFor(question);
    if (!this.call.can(name)) throw missingCapability(name);
  }

  #nextKey(method: string): string {
    const ordinal = this.#ordinals.get(method) ?? 0;
    this.#ordinals.set(method, ordinal + 1);
    return `${method}#${ordinal}`;
  }

  async #runStep<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    // Through JSON at once, so that the first run sees what later runs will.
    const { value } = JSON.parse(JSON.stringify({ value: await fn() })) as { value?: T };
    this.journal.steps.set(name, { value });
    return value as T;
  }

  #newSuspension(): Promise<void> {
    return new Promise((resolve) => {
      this.#suspend = resolve;
    });
  }
}

// The client's error is about the question: passed on as it is, it would be taken for one about the call.
function toInputError(method: string, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  const message = `The client answered ${method} with error ${error.code}: ${shorten(error.message)}`;
  return new RpcError(ErrorCode.InternalError, message, undefined, { cause: error });
}
