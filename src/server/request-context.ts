/** `RequestContext`: one request while it is handled. Members that most handlers do not read are made on first use. */

import type { Id, Params } from '../jsonrpc/message.ts';
import { isObject } from '../jsonrpc/message.ts';
import { isAvailable } from '../protocol/capabilities.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { MethodRow } from '../protocol/methods.ts';
import type { ClientCapabilities, ClientCapabilityName } from '../protocol/model/capabilities.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { Meta, Trace } from '../protocol/model/meta.ts';
import type { ListRootsResult } from '../protocol/model/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/model/sampling.ts';
import type { Principal } from '../protocol/principal.ts';
import type { Caller, EncodingHints, Revision } from '../protocol/revision.ts';
import type { AnySchema, InferOutput } from '../schema/local/infer.ts';
import type { AskOptions, Context, ElicitAnswer, RawAskOptions, SessionKey, UrlOptions } from './context.ts';
import type { Entry } from './features/registry.ts';
import { elicit, elicitUrl, listRoots, sample } from './input/elicit.ts';
import { type InputCaller, InputRequests } from './input/input-requests.ts';
import type { ServerInternals } from './internals.ts';
import { LogSender } from './logging.ts';
import { Progress } from './progress.ts';

const NO_ANSWERS: ReadonlyMap<string, InputResponse> = new Map();
const NO_FACTS: EncodingHints = {};

/** One request, with its revision, its caller and its way back. */
export class RequestContext implements Context, InputCaller {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  readonly caller: Caller;
  /** Where it came from; somebody else's once the call was handed off. */
  exchange: Exchange;
  readonly wire: Revision;
  readonly server: ServerInternals;
  /** The row of the method; undefined for methods that the protocol does not have. */
  readonly row: MethodRow | undefined;
  /** What the encoder has to know of the result; set by the feature that made it. */
  encodingHints: EncodingHints = NO_FACTS;
  /** The tool, prompt or resource that the request is about, once it is known. */
  entry: Entry | undefined = undefined;
  /** Settles when it is known whether the call is handed off; undefined while nothing of the kind is under way. */
  detaching: Promise<void> | undefined;
  #abort: AbortController | undefined;
  #inputRequests: InputRequests | undefined;
  #onFirstInputRequest: (() => void) | undefined;
  #onDetach: (() => Promise<void>) | undefined;
  #progress: Progress | undefined;
  #log: LogSender | undefined;

  constructor(
    id: Id,
    method: string,
    params: Params,
    caller: Caller,
    exchange: Exchange,
    wire: Revision,
    server: ServerInternals,
  ) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.caller = caller;
    this.exchange = exchange;
    this.wire = wire;
    this.server = server;
    this.row = exchange.row;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      this.exchange.onCancel((reason) => this.#abort?.abort(reason));
    }
    return this.#abort.signal;
  }

  get auth(): Principal | undefined {
    return this.exchange.principal;
  }

  /** The same, in the words visibility uses. */
  get principal(): Principal | undefined {
    return this.exchange.principal;
  }

  get trusted(): boolean {
    return this.exchange.trusted;
  }

  get client(): Implementation | undefined {
    return this.caller.info;
  }

  get capabilities(): ClientCapabilities {
    return this.caller.capabilities;
  }

  get revision(): string {
    return this.wire.features.version;
  }

  get session(): SessionKey | undefined {
    const id = this.wire.features.family === 'stateful' ? this.exchange.session?.id : undefined;
    return id === undefined ? undefined : { id };
  }

  get headers(): ReadonlyMap<string, string> | undefined {
    return this.exchange.headers;
  }

  get meta(): Meta {
    const meta = this.params['_meta'];
    return isObject(meta) ? meta : {};
  }

  get trace(): Trace {
    const { traceparent, tracestate, baggage } = this.meta;
    return {
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
      ...(typeof tracestate === 'string' ? { tracestate } : {}),
      ...(typeof baggage === 'string' ? { baggage } : {}),
    };
  }

  can(capability: ClientCapabilityName): boolean {
    return isAvailable(capability, this.caller.capabilities, this.wire.features);
  }

  reportProgress(progress: number, total?: number, message?: string): void {
    this.#progress ??= new Progress(this.meta['progressToken'], this.exchange, this.wire);
    this.#progress.report(progress, total, message);
  }

  get log(): LogSender {
    this.#log ??= new LogSender(this.caller.logLevel, this.server.host.capabilities, this.exchange);
    return this.#log;
  }

  /** True if the handler turned to its questions. */
  get usesJournal(): boolean {
    return this.#inputRequests !== undefined;
  }

  /** The questions of this request. Reading it marks the request as one that asks. */
  get inputRequests(): InputRequests {
    if (!this.#inputRequests) {
      this.#inputRequests = new InputRequests(this);
      this.#onFirstInputRequest?.();
    }
    return this.#inputRequests;
  }

  /** Calls back when the handler turns to its questions. */
  onFirstInputRequest(listener: () => void): void {
    this.#onFirstInputRequest = listener;
  }

  /** How the client can be asked now. */
  get inputVia(): Revision['features']['inputVia'] {
    return this.exchange.isDetached ? 'request' : this.wire.features.inputVia;
  }

  /** True once the call was handed off. */
  get isDetached(): boolean {
    return this.exchange.isDetached === true;
  }

  /** The call is answered: from now on this stands in for the client. */
  moveTo(exchange: Exchange): void {
    this.exchange = exchange;
    this.#progress = undefined;
    this.#log = undefined;
    const abort = this.#abort;
    // A handler may have taken the signal already.
    if (abort) exchange.onCancel((reason) => abort.abort(reason));
  }

  /** True if nobody waits for what the handler does: it was cancelled, or took too long. */
  get isGivenUp(): boolean {
    return this.exchange.cancelled || this.#abort?.signal.aborted === true;
  }

  /** Calls back when the handler hands the call off; undefined if it cannot do so any more. */
  onDetach(listener: (() => Promise<void>) | undefined): void {
    this.#onDetach = listener;
  }

  detach(): Promise<boolean> {
    return quiet(this.#detach());
  }

  async #detach(): Promise<boolean> {
    // While something is open the client has to answer that first.
    if (this.#inputRequests?.isSuspended) return this.#inputRequests.suspendUntilRetry();
    if (this.isDetached || this.isGivenUp || !this.#onDetach) return this.isDetached;
    this.detaching ??= this.#onDetach().finally(() => {
      this.detaching = undefined;
    });
    await this.detaching;
    return this.isDetached;
  }

  /** Ends what the handler still does after it was suspended or took too long. */
  abortRun(reason: unknown): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  /** Makes ready for another run of the handler, with a signal of its own. */
  prepareRerun(): void {
    this.#abort = undefined;
    this.#inputRequests?.reset();
  }

  elicit<const S extends AnySchema>(
    message: string,
    schema: S,
    options?: AskOptions,
  ): Promise<ElicitAnswer<InferOutput<S>>> {
    return quiet(elicit(this.inputRequests, message, schema, options)) as Promise<ElicitAnswer<InferOutput<S>>>;
  }

  elicitUrl(message: string, url: string, options?: UrlOptions): Promise<ElicitAnswer<undefined>> {
    return quiet(elicitUrl(this.inputRequests, message, url, options));
  }

  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult> {
    return quiet(sample(this.inputRequests, params, options));
  }

  listRoots(options?: AskOptions): Promise<ListRootsResult> {
    return quiet(listRoots(this.inputRequests, options));
  }

  ask(question: InputRequest, { key, signal }: RawAskOptions = {}): Promise<InputResponse> {
    return quiet(this.inputRequests.request(question, key, () => true, signal));
  }

  notify(method: string, params: Params = {}): void {
    this.exchange.notify(method, params);
  }

  step<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    return this.inputRequests.step(name, fn);
  }

  get inputResponses(): ReadonlyMap<string, InputResponse> {
    return this.#inputRequests?.journal.handlerInputs ?? NO_ANSWERS;
  }

  get state(): unknown {
    return this.#inputRequests?.journal.state;
  }
}

// A question that nobody waits for may be suspended or refused; that is no reason to end the process.
function quiet<T>(question: Promise<T>): Promise<T> {
  question.catch(() => {});
  return question;
}
