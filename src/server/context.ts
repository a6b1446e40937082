/** What a handler gets beside its arguments: who is calling, and ways to say or ask something before the answer. */

import type { Id, Params } from '../jsonrpc/message.ts';
import { isObject } from '../jsonrpc/message.ts';
import { isAvailable } from '../protocol/available.ts';
import type { Caller } from '../protocol/caller.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { ClientCapabilities, ClientCapabilityName } from '../protocol/model/capabilities.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { Meta, Trace } from '../protocol/model/meta.ts';
import type { Answer, Question } from '../protocol/model/questions.ts';
import type { ListRootsResult } from '../protocol/model/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/model/sampling.ts';
import type { Principal } from '../protocol/principal.ts';
import type { ResultFacts, Revision } from '../protocol/revision.ts';
import type { AnySchema, InferOutput } from '../schema/local/infer.ts';
import {
  type AskOptions,
  type ElicitAnswer,
  elicit,
  elicitUrl,
  listRoots,
  type RawAskOptions,
  sample,
  type UrlOptions,
} from './asking.ts';
import { Log } from './log.ts';
import type { Parts } from './parts.ts';
import { Progress } from './progress.ts';
import { type Asker, Questions } from './questions.ts';
import type { Entry } from './registry.ts';

const NO_ANSWERS: ReadonlyMap<string, Answer> = new Map();

/** Names a client's session. */
export interface SessionKey {
  /** Unique, and the same for as long as the session lasts, on every node. It is not the `Mcp-Session-Id`. */
  readonly id: string;
}

/** The second argument of every handler. */
export interface Context {
  /** The method of the request or notification. */
  readonly method: string;
  /** Its params as they arrived. */
  readonly params: Params;
  /** Aborted when the caller gives up or goes away, and when the server closes; in a task, when that is to end. */
  readonly signal: AbortSignal;
  /** The authenticated caller, where the transport authenticates. */
  readonly auth: Principal | undefined;
  /** What the client says of itself; never a reason to trust it. */
  readonly client: Implementation | undefined;
  /** What the client declared. */
  readonly capabilities: ClientCapabilities;
  /** The protocol revision of the request. */
  readonly revision: string;
  /**
   * The client's session, where the revision has sessions (up to 2025-11-25) and the server keeps them: `ctx.session.id` is a
   * key for state of one's own. Undefined otherwise, so keep state by `ctx.auth` or by ids that tools hand out.
   */
  readonly session: SessionKey | undefined;
  /** Header fields of the request, in lower case, where the transport has them. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** The request's `_meta`. */
  readonly meta: Meta;
  /** W3C trace context of the request. */
  readonly trace: Trace;
  /** True if the client can be asked this. */
  can(capability: ClientCapabilityName): boolean;
  /** Tells the client how far the work has got, if it asked to be told. Values that do not increase are dropped. */
  reportProgress(progress: number, total?: number, message?: string): void;
  /**
   * Sends log messages to a client that wants them.
   * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. Log to stderr, or use OpenTelemetry.
   */
  readonly log: Log;
  /** Asks the person in front of the client to fill in a form. */
  elicit<const S extends AnySchema>(
    message: string,
    schema: S,
    options?: AskOptions,
  ): Promise<ElicitAnswer<InferOutput<S>>>;
  /** Asks the person to open a page, for what must not pass through the client. `accept` means consent. */
  elicitUrl(message: string, url: string, options?: UrlOptions): Promise<ElicitAnswer<undefined>>;
  /**
   * Asks the client's model.
   * Deprecated by the specification (SEP-2577): sampling may be removed from 2027-07-28 on. Call a model provider directly.
   */
  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult>;
  /**
   * Asks which folders the client lets the server look at.
   * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on. Take paths as tool arguments.
   */
  listRoots(options?: AskOptions): Promise<ListRootsResult>;
  /** Asks anything that can be asked, as it is: the layer below `elicit` and the others. */
  ask(question: Question, options?: RawAskOptions): Promise<Answer>;
  /** Sends a notification of an extension, or of one's own, that belongs to this request; none once that is answered. */
  notify(method: string, params?: Params): void;
  /**
   * In a tool with `handOff: 'manual'`: answers the caller with a task, if the caller can have one, and goes on. What is
   * asked from then on is asked by the task. True if this is a task now.
   */
  handOff(): Promise<boolean>;
  /**
   * Does something once per call, however often the handler is run again: the JSON value it gives is remembered.
   * Under stateless revisions a handler runs again from the top after each answer.
   */
  step<T>(name: string, fn: () => T | Promise<T>): Promise<T>;
  /** Answers to the questions that were returned with `inputRequired`, by key. Untrusted, like arguments. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** What was passed to `inputRequired` as `state`. */
  readonly state: unknown;
}

const NO_FACTS: ResultFacts = {};

/** One request being answered. Everything that most handlers never look at is made on first use. */
export class RequestContext implements Context, Asker {
  readonly id: Id;
  readonly method: string;
  readonly params: Params;
  readonly caller: Caller;
  /** Where it came from; somebody else's once the call was handed off. */
  exchange: Exchange;
  readonly wire: Revision;
  readonly parts: Parts;
  /** What the encoder has to know of the result; set by the feature that made it. */
  about: ResultFacts = NO_FACTS;
  /** The tool, prompt or resource that the request is about, once it is known. */
  entry: Entry | undefined = undefined;
  /** Settles when it is known whether the call is handed off; undefined while nothing of the kind is under way. */
  handingOff: Promise<void> | undefined;
  #abort: AbortController | undefined;
  #questions: Questions | undefined;
  #onFirstQuestion: (() => void) | undefined;
  #onHandOff: (() => Promise<void>) | undefined;
  #progress: Progress | undefined;
  #log: Log | undefined;

  constructor(
    id: Id,
    method: string,
    params: Params,
    caller: Caller,
    exchange: Exchange,
    wire: Revision,
    parts: Parts,
  ) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.caller = caller;
    this.exchange = exchange;
    this.wire = wire;
    this.parts = parts;
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

  get client(): Implementation | undefined {
    return this.caller.info;
  }

  get capabilities(): ClientCapabilities {
    return this.caller.capabilities;
  }

  get revision(): string {
    return this.wire.facts.version;
  }

  get session(): SessionKey | undefined {
    const id = this.wire.facts.family === 'stateful' ? this.exchange.session?.id : undefined;
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
    return isAvailable(capability, this.caller.capabilities, this.wire.facts);
  }

  reportProgress(progress: number, total?: number, message?: string): void {
    this.#progress ??= new Progress(this.meta['progressToken'], this.exchange, this.wire);
    this.#progress.report(progress, total, message);
  }

  get log(): Log {
    this.#log ??= new Log(this.caller.logLevel, this.parts.host.capabilities, this.exchange);
    return this.#log;
  }

  /** True if the handler turned to its questions. */
  get hasAsked(): boolean {
    return this.#questions !== undefined;
  }

  /** The questions of this request. Reading it marks the request as one that asks. */
  get questions(): Questions {
    if (!this.#questions) {
      this.#questions = new Questions(this);
      this.#onFirstQuestion?.();
    }
    return this.#questions;
  }

  /** Calls back when the handler turns to its questions. */
  onFirstQuestion(listener: () => void): void {
    this.#onFirstQuestion = listener;
  }

  /** How the client can be asked now. */
  get asking(): Revision['facts']['asking'] {
    return this.exchange.isApart ? 'live' : this.wire.facts.asking;
  }

  /** True once the call was handed off. */
  get isApart(): boolean {
    return this.exchange.isApart === true;
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
  onHandOff(listener: (() => Promise<void>) | undefined): void {
    this.#onHandOff = listener;
  }

  handOff(): Promise<boolean> {
    return quiet(this.#handOff());
  }

  async #handOff(): Promise<boolean> {
    // While something is open the client has to answer that first.
    if (this.#questions?.isSuspended) return this.#questions.wait();
    if (this.isApart || this.isGivenUp || !this.#onHandOff) return this.isApart;
    this.handingOff ??= this.#onHandOff().finally(() => {
      this.handingOff = undefined;
    });
    await this.handingOff;
    return this.isApart;
  }

  /** Ends what the handler still does after it was suspended or took too long. */
  abortRun(reason: unknown): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  /** Makes ready for another run of the handler, with a signal of its own. */
  startAgain(): void {
    this.#abort = undefined;
    this.#questions?.startAgain();
  }

  elicit<const S extends AnySchema>(
    message: string,
    schema: S,
    options?: AskOptions,
  ): Promise<ElicitAnswer<InferOutput<S>>> {
    return quiet(elicit(this.questions, message, schema, options)) as Promise<ElicitAnswer<InferOutput<S>>>;
  }

  elicitUrl(message: string, url: string, options?: UrlOptions): Promise<ElicitAnswer<undefined>> {
    return quiet(elicitUrl(this.questions, message, url, options));
  }

  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult> {
    return quiet(sample(this.questions, params, options));
  }

  listRoots(options?: AskOptions): Promise<ListRootsResult> {
    return quiet(listRoots(this.questions, options));
  }

  ask(question: Question, { key, signal }: RawAskOptions = {}): Promise<Answer> {
    return quiet(this.questions.ask(question, key, () => true, signal));
  }

  notify(method: string, params: Params = {}): void {
    this.exchange.notify(method, params);
  }

  step<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    return this.questions.step(name, fn);
  }

  get answers(): ReadonlyMap<string, Answer> {
    return this.#questions?.journal.given ?? NO_ANSWERS;
  }

  get state(): unknown {
    return this.#questions?.journal.state;
  }
}

// A question that nobody waits for may be suspended or refused; that is no reason to end the process.
function quiet<T>(question: Promise<T>): Promise<T> {
  question.catch(() => {});
  return question;
}
