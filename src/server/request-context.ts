/** `RequestContext`: the `Context` of one request. Members that most handlers do not read are created on first use. */

import type { Id, Params } from '../jsonrpc/message.ts';
import { isObject } from '../jsonrpc/message.ts';
import { isAvailable } from '../protocol/capabilities.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { MethodRow } from '../protocol/methods.ts';
import type { ClientCapabilityName } from '../protocol/model/capabilities.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import type { CreateMessageParams } from '../protocol/model/sampling.ts';
import type { Principal } from '../protocol/principal.ts';
import type { Caller, EncodingHints, Revision } from '../protocol/revision.ts';
import type { AnySchema, InferOutput } from '../schema/local/infer.ts';
import type { AskOptions, Context, ElicitAnswer, RawAskOptions, UrlOptions } from './context.ts';
import type { Entry } from './features/registry.ts';
import { elicit, elicitUrl, listRoots, sample } from './input/elicit.ts';
import { type InputCaller, InputRequests } from './input/input-requests.ts';
import type { ServerInternals } from './internals.ts';
import { type Log, logSender } from './logging.ts';
import { Progress } from './progress.ts';

const NO_INPUT_RESPONSES: ReadonlyMap<string, InputResponse> = new Map();
const NO_HINTS: EncodingHints = {};

/** One request or notification, with its revision, its caller and its exchange. */
export class RequestContext implements Context, InputCaller {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  readonly caller: Caller;
  /** The exchange of the request; after the call was detached, that of its task. */
  exchange: Exchange;
  /** The protocol revision of the request: its methods and encoders. */
  readonly wire: Revision;
  readonly server: ServerInternals;
  /** The method's row in the table `METHODS`; undefined for methods that the protocol does not have. */
  readonly row: MethodRow | undefined;
  /** Hints for the encoder of the result, set by the feature that handles the request. */
  encodingHints: EncodingHints = NO_HINTS;
  /** The tool, prompt or resource that the request names, after it was looked up. */
  entry: Entry | undefined = undefined;
  /** A promise that settles when the call is detached, or failed to be; undefined while it is not being detached. */
  detaching: Promise<void> | undefined;
  #abort: AbortController | undefined;
  #inputRequests: InputRequests | undefined;
  #onFirstInputRequest: (() => void) | undefined;
  #onDetach: (() => Promise<void>) | undefined;
  #progress: Progress | undefined;
  #log: Log | undefined;

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

  /** The principal of the request, like `auth`: the interface `Viewer` uses this name. */
  get principal(): Principal | undefined {
    return this.exchange.principal;
  }

  get trusted(): boolean {
    return this.exchange.trusted;
  }

  get client(): Context['client'] {
    return this.caller.info;
  }

  get capabilities(): Context['capabilities'] {
    return this.caller.capabilities;
  }

  get revision(): string {
    return this.wire.features.version;
  }

  get session(): Context['session'] {
    const id = this.wire.features.family === 'stateful' ? this.exchange.session?.id : undefined;
    return id === undefined ? undefined : { id };
  }

  get headers(): Context['headers'] {
    return this.exchange.headers;
  }

  get meta(): Context['meta'] {
    const meta = this.params['_meta'];
    return isObject(meta) ? meta : {};
  }

  get trace(): Context['trace'] {
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

  get log(): Log {
    this.#log ??= logSender(this.caller.logLevel, this.server.serverInfo.capabilities, this.exchange);
    return this.#log;
  }

  /** True if the handler has sent an input request or run a step: both are recorded in the journal of the call. */
  get usesJournal(): boolean {
    return this.#inputRequests !== undefined;
  }

  /** The input requests of this call. Reading it marks the call as one that uses the journal. */
  get inputRequests(): InputRequests {
    if (!this.#inputRequests) {
      this.#inputRequests = new InputRequests(this);
      this.#onFirstInputRequest?.();
    }
    return this.#inputRequests;
  }

  /** Sets the listener for the first use of the journal. */
  onFirstInputRequest(listener: () => void): void {
    this.#onFirstInputRequest = listener;
  }

  /** The way of input requests to the client: `request` while the call runs, or `retry` in a result, then the client retries. */
  get inputVia(): Revision['features']['inputVia'] {
    return this.exchange.isDetached ? 'request' : this.wire.features.inputVia;
  }

  /** True after the call was detached. */
  get isDetached(): boolean {
    return this.exchange.isDetached === true;
  }

  /** Detaches the call: the exchange of its task replaces that of the request, which has been answered. */
  detachTo(exchange: Exchange): void {
    this.exchange = exchange;
    this.#progress = undefined;
    this.#log = undefined;
    const abort = this.#abort;
    // The handler may have read `ctx.signal` before: a cancellation of the task must abort that signal.
    if (abort) exchange.onCancel((reason) => abort.abort(reason));
  }

  /** True if the call was cancelled or timed out. */
  get isAborted(): boolean {
    return this.exchange.cancelled || this.#abort?.signal.aborted === true;
  }

  /** Sets the function that detaches the call; undefined if the call can no longer be detached. */
  onDetach(listener: (() => Promise<void>) | undefined): void {
    this.#onDetach = listener;
  }

  detach(): Promise<boolean> {
    return quiet(this.#detach());
  }

  async #detach(): Promise<boolean> {
    // A suspended handler runs again from the start after the client's retry, so this run must not continue.
    if (this.#inputRequests?.isSuspended) return this.#inputRequests.suspendUntilRetry();
    if (this.isDetached || this.isAborted || !this.#onDetach) return this.isDetached;
    this.detaching ??= this.#onDetach().finally(() => {
      this.detaching = undefined;
    });
    await this.detaching;
    return this.isDetached;
  }

  /** Aborts `ctx.signal` of the current run of the handler, which was suspended or timed out. */
  abortRun(reason: unknown): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  /** Prepares another run of the handler, with a new signal. */
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

  sample(params: CreateMessageParams, options?: AskOptions): ReturnType<Context['sample']> {
    return quiet(sample(this.inputRequests, params, options));
  }

  listRoots(options?: AskOptions): ReturnType<Context['listRoots']> {
    return quiet(listRoots(this.inputRequests, options));
  }

  ask(request: InputRequest, { key, signal }: RawAskOptions = {}): Promise<InputResponse> {
    return quiet(this.inputRequests.request(request, key, () => true, signal));
  }

  notify(method: string, params: Params = {}): void {
    this.exchange.notify(method, params);
  }

  step<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    return this.inputRequests.step(name, fn);
  }

  get inputResponses(): ReadonlyMap<string, InputResponse> {
    return this.#inputRequests?.journal.handlerInputs ?? NO_INPUT_RESPONSES;
  }

  get state(): unknown {
    return this.#inputRequests?.journal.state;
  }
}

// Marks rejections of the promise as handled. A handler that does not await it would otherwise end the process (Node's default).
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
