/** `RequestContext`: the `Context` of one request. Members that most handlers do not read are created on first use. */

import { RpcError } from '../jsonrpc/errors.ts';
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
import { elicit, elicitUrl, listRoots, sample } from './input/elicit-sample-roots.ts';
import { type InputCaller, InputRequests } from './input/input-requests.ts';
import type { ServerInternals } from './internals.ts';
import { type Log, logSender } from './logging.ts';
import { Progress } from './progress.ts';

const NO_INPUT_RESPONSES: ReadonlyMap<string, InputResponse> = new Map();
const NO_HINTS: EncodingHints = {};

export class RequestContext implements Context, InputCaller {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  readonly caller: Caller;
  /** Sends the messages that belong to the request. The exchange of a task replaces it when the call continues as a task. */
  exchange: Exchange;
  /** Encoders and built-in methods of the request's protocol revision. */
  readonly wire: Revision;
  readonly server: ServerInternals;
  /** Row of the method in the table `METHODS`; undefined for methods that the protocol does not have. */
  readonly row: MethodRow | undefined;
  /** Hints for the encoder of the result, such as the output schema of a tool. The handler of the method sets them. */
  encodingHints: EncodingHints = NO_HINTS;
  /** The tool, prompt or resource that the request names; undefined before its lookup and for other requests. */
  entry: Entry | undefined = undefined;
  /** Settles when the task for the call has started or failed to start; undefined while no task is being started. */
  detaching: Promise<void> | undefined;
  #abort: AbortController | undefined;
  #stopReason: Error | undefined;
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

  /** Same as `auth`. The interface `Viewer` requires this name. */
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

  /** True once the handler has sent an input request or called `ctx.step`. The journal records both for reruns. */
  get usesJournal(): boolean {
    return this.#inputRequests !== undefined;
  }

  /** Input requests and journal of the call, created at the first read, which makes `usesJournal` true. */
  get inputRequests(): InputRequests {
    if (!this.#inputRequests) {
      this.#inputRequests = new InputRequests(this);
      this.#onFirstInputRequest?.();
    }
    return this.#inputRequests;
  }

  /** Sets the function to call at the first input request or step of the handler. */
  onFirstInputRequest(listener: () => void): void {
    this.#onFirstInputRequest = listener;
  }

  /** How input requests reach the client: as a `request`, or in a result after which the client has to `retry` the call. */
  get inputVia(): Revision['features']['inputVia'] {
    return this.exchange.isDetached ? 'request' : this.wire.features.inputVia;
  }

  get isDetached(): boolean {
    return this.exchange.isDetached === true;
  }

  /** Continues the call as a task: replaces the exchange of the request with the exchange of the task. */
  detachTo(exchange: Exchange): void {
    this.exchange = exchange;
    this.#progress = undefined;
    this.#log = undefined;
    const abort = this.#abort;
    // A `ctx.signal` that the handler read before the call became a task must still abort when the task is cancelled.
    if (abort) exchange.onCancel((reason) => abort.abort(reason));
  }

  /** True if the current run of the handler was cancelled, suspended or timed out. */
  get isAborted(): boolean {
    return this.exchange.cancelled || this.#abort?.signal.aborted === true;
  }

  /** Sets the function with which `ctx.detach()` starts a task; undefined if the call can no longer be detached. */
  onDetach(listener: (() => Promise<void>) | undefined): void {
    this.#onDetach = listener;
  }

  detach(): Promise<boolean> {
    return quiet(this.#detach());
  }

  async #detach(): Promise<boolean> {
    // A suspended run must not continue, because the handler runs again from the start when the client retries the call.
    if (this.#inputRequests?.isSuspended) return this.#inputRequests.suspendUntilRetry();
    if (this.isDetached || this.isAborted || !this.#onDetach) return this.isDetached;
    this.detaching ??= this.#onDetach().finally(() => {
      this.detaching = undefined;
    });
    await this.detaching;
    return this.isDetached;
  }

  /** Aborts `ctx.signal` of the current run of the handler. A suspended handler runs again later, with a new signal. */
  abortRun(reason: unknown): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  /** Aborts `ctx.signal` for good: the handler does not run again. */
  stop(reason: Error): void {
    this.#stopReason = reason;
    this.abortRun(reason);
  }

  /** Throws if the call was cancelled or stopped. */
  throwIfStopped(): void {
    if (this.#stopReason) throw this.#stopReason;
    if (this.exchange.cancelled) throw RpcError.internal('The call was cancelled');
  }

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

// Marks a rejection of the promise as handled. Otherwise Node ends the process if the handler does not await the promise.
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
