/** Execution of calls: cache, middleware, multi round-trip requests, retries and validation of results. */

import { ConnectionError, ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import { runMiddleware } from '../jsonrpc/middleware.ts';
import { aborted } from '../jsonrpc/pending-requests.ts';
import { quoted } from '../jsonrpc/printable.ts';
import { DEFAULT_MAXIMUM, DEFAULT_TIMEOUT } from '../jsonrpc/timeout-options.ts';
import { revisionNamed } from '../protocol/client-revisions.ts';
import { McpErrorCode } from '../protocol/errors.ts';
import { isCacheable, METHODS } from '../protocol/methods.ts';
import type { InputResponse } from '../protocol/model/input-requests.ts';
import type { Decoded } from '../protocol/revision.ts';
import { anySignal } from '../timing/abort-signals.ts';
import { sleep } from '../timing/sleep.ts';
import type { ArgumentHeaders } from './argument-headers.ts';
import { pauseAfter } from './busy.ts';
import { ResponseCache } from './cache.ts';
import { Call, Leg, left } from './call.ts';
import type { Conversation } from './conversation.ts';
import type { ExtensionConnection, RawResult } from './extension.ts';
import type { Extensions } from './extensions.ts';
import { finish } from './finishing.ts';
import type { Link } from './link.ts';
import type { ClientMiddleware } from './middleware.ts';
import type { ConnectionOptions } from './options.ts';
import type { Questions } from './questions.ts';
import type { RequestOptions } from './request-options.ts';
import { readResult } from './results.ts';
import {
  type CallState,
  nextParams,
  type PendingCall,
  pendingCall,
  type Rounds,
  type Settled,
  throughRounds,
} from './rounds.ts';
import type { ToolBook } from './tool-book.ts';
import { Vetting } from './vetting.ts';

export interface CallsHost {
  readonly link: Link;
  readonly book: ToolBook;
  /** Declarations of `Mcp-Param-*` headers by the server's tools. */
  readonly mirrored: ArgumentHeaders;
  readonly questions: Questions;
  readonly extensions: Extensions;
  /** The connection that is passed to hooks of extensions. */
  readonly peer: ExtensionConnection;
  /** Read for each call, because `Client.use` can add middleware at any time. */
  readonly middleware: readonly ClientMiddleware[];
  readonly options: ConnectionOptions;
}

type Result = Record<string, unknown>;
/** A result with a `resultType` that an extension defines. */
type Other = Extract<Settled, { type: 'other' }>;

/** Work that remains after the response, such as following a task. Continues even if the transport connection is lost. */
type Rest<T> = () => Promise<T>;
type Attempt<T> = (conversation: Conversation, call: Call) => Promise<T | Rest<T>>;

const MAX_ROUNDS = 10;
// A server process that is exiting can fail its calls up to this many milliseconds before it exits.
const LAST_MS = 1000;
// Cache key of the principal. It is constant: a connection has one principal at a time, and a sign-in clears the cache.
const NOBODY = '';

export class Calls {
  readonly cache: ResponseCache;
  readonly #host: CallsHost;
  readonly #vetting: Vetting;
  readonly #rounds: Rounds;
  readonly #answered: Attempt<Result> = (conversation, call) => this.#answer(conversation, call, this.#finished);
  readonly #finished = (other: Other, call: Call): Rest<Result> => this.#finish(other, call);

  constructor(host: CallsHost) {
    this.#host = host;
    const { book, mirrored, questions, options } = host;
    this.cache = new ResponseCache({ reserved: () => book.bytes });
    const request = (method: string, params: Params, own: RequestOptions): Promise<Result> =>
      this.request(method, params, own);
    this.#vetting = new Vetting({ book, mirrored, options, request });
    this.#rounds = {
      maxRoundTrips: options.maxRoundTrips ?? MAX_ROUNDS,
      send: (conversation, call, params) => this.#leg(conversation, call, params),
      recover: (conversation, call, error) => this.#recover(conversation, call, error),
      answer: (question, signal, conversation) => questions.answer(question, signal, conversation),
    };
  }

  /** Calls a method and returns the result. Input requests are passed to the client's handlers, and the call is retried. */
  request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    return isCacheable(method)
      ? this.#requestOrKept(method, params, options)
      : this.#send(method, params, options, this.#answered);
  }

  async #requestOrKept(method: string, params: Params, options: RequestOptions): Promise<Result> {
    const mayBeKept = this.#host.options.cache !== false && !options.fresh;
    const kept = mayBeKept ? this.cache.get(method, params, NOBODY) : undefined;
    return kept ?? this.#send(method, params, options, this.#answered);
  }

  /** Like `request`, but returns a result with an extension's `resultType` unchanged. */
  async outcome(method: string, params: Params = {}, options: RequestOptions = {}): Promise<RawResult> {
    let resultType = 'complete';
    const result = await this.#send(method, params, options, (conversation, call) =>
      this.#answer(conversation, call, (other) => {
        if (!this.#host.extensions.knows(other.resultType, method)) throw unknownType(method);
        resultType = other.resultType;
        return other.result;
      }),
    );
    return { resultType, result };
  }

  /** Decodes and validates a result of `method` that did not arrive as its response, for instance the result of a task. */
  async accept(method: string, params: Params, result: unknown): Promise<Result> {
    const { link, book } = this.#host;
    const { present } = link;
    const revision = present?.revision ?? revisionNamed(link.profile?.revision ?? '');
    if (!revision) throw new ConnectionError('not-connected', 'The server has not been greeted yet');
    const decoded = revision.decodeResult(method, result);
    if (decoded.type === 'other') throw unknownType(method);
    if (decoded.type !== 'complete') {
      throw new ConnectionError('malformed', `The result of ${method} asks for input, for which it is too late`);
    }
    return readResult(method, params, decoded.result, revision.features, book, present && this.#mirrored(present));
  }

  /** Sends a call. Returns input requests to the caller instead of passing them to the handlers. */
  start(method: string, params: Params = {}, options: RequestOptions = {}): Promise<CallState> {
    return this.#send(method, params, options, (conversation, call) => this.#step(conversation, call, {}));
  }

  /** Continues a pending call. `answers` has one input response for each key of `pending.questions`. */
  async resume(
    pending: PendingCall,
    answers: Readonly<Record<string, InputResponse>>,
    options: RequestOptions = {},
  ): Promise<CallState> {
    const { method, params, questions, state } = pending;
    const keys = Object.keys(questions);
    const missing = keys.filter((key) => !Object.hasOwn(answers, key));
    if (missing.length > 0) throw new TypeError(`No answer to ${missing.map(quoted).join(', ')}`);
    const given = Object.fromEntries(keys.map((key) => [key, answers[key]]));
    const more = nextParams({}, keys.length > 0 ? given : undefined, state);
    return this.#send(method, params, options, (conversation, call) => this.#step(conversation, call, more));
  }

  #send<T extends object>(method: string, params: Params, options: RequestOptions, attempt: Attempt<T>): Promise<T> {
    const { middleware, options: defaults } = this.#host;
    const now = Date.now();
    const times = {
      deadline: now + (options.maxTimeout ?? defaults.maxTimeout ?? DEFAULT_MAXIMUM),
      patience: now + (options.timeout ?? defaults.timeout ?? DEFAULT_TIMEOUT),
    };
    const innermost = (inner: Params): Promise<T> => this.#perform(new Call(method, inner, options, times), attempt);
    return middleware.length === 0 ? innermost(params) : this.#sendThrough(middleware, method, params, innermost);
  }

  async #sendThrough<T extends object>(
    middleware: readonly ClientMiddleware[],
    method: string,
    params: Params,
    innermost: (params: Params) => Promise<T>,
  ): Promise<T> {
    const revision = this.#host.link.present?.version ?? '';
    const call = { direction: 'out', kind: 'request', method, params, revision } as const;
    const result = await runMiddleware(middleware, call, (changed) => innermost(changed.params));
    if (!isObject(result)) throw new TypeError(`A middleware gave no result for ${method}`);
    return result as T;
  }

  // Does not await anything if the connection is ready, so that requests are sent in the order of the calls.
  async #perform<T>(call: Call, attempt: Attempt<T>): Promise<T> {
    const { link } = this.#host;
    const conversation = link.present ?? (await this.#next(call));
    const vetting = this.#vetting.check(call, conversation);
    if (vetting) await vetting;
    let got: T | Rest<T>;
    try {
      got = await attempt(conversation, call);
    } catch (error) {
      const { extensions, peer } = this.#host;
      const isAskedOf = error instanceof RpcError && !call.hasRetried;
      const again = isAskedOf ? extensions.retry(error, call, peer) : undefined;
      if (again) return this.#perform(new Call(call.method, again, call.options, call, true), attempt);
      // A call that was lost with the connection is sent once more if it is idempotent, or if the server did not execute it.
      const isUnheard = wasNotCarriedOut(error);
      const isEnded = error === conversation.ended.reason || (await this.#wasLast(conversation, call, error));
      const isLost = (isUnheard || isEnded) && link.isComingBack;
      if (!isLost || !(isUnheard || this.#isRepeatable(call))) throw error;
      const next = await this.#next(call);
      await this.#vetting.check(call, next);
      // After a reconnect, the tool can have other annotations.
      if (!isUnheard && !this.#isRepeatable(call)) throw error;
      got = await attempt(next, call);
    }
    return typeof got === 'function' ? (got as Rest<T>)() : got;
  }

  // Waits up to 1 s. Returns true if the server process exits: just before, it fails its pending calls with -32603.
  async #wasLast(conversation: Conversation, call: Call, error: unknown): Promise<boolean> {
    const isInternal = error instanceof RpcError && error.code === ErrorCode.InternalError;
    if (!isInternal || !this.#host.link.isSupervised || !this.#isRepeatable(call)) return false;
    const { signal, release } = anySignal([conversation.ended, call.options.signal]);
    await sleep(Math.min(LAST_MS, left(call.patience), call.left), signal);
    release();
    return conversation.ended.aborted;
  }

  #next({ options, what, left }: Call): Promise<Conversation> {
    return this.#host.link.conversation({ ...options, maxTimeout: left }, what);
  }

  #isRepeatable({ method, params, options }: Call): boolean {
    if (options.idempotent !== undefined) return options.idempotent;
    if (method === 'tools/call') return this.#host.book.isRepeatable(String(params['name']));
    return METHODS.has(method);
  }

  #leg(conversation: Conversation, call: Call, params: Params): Promise<Decoded> {
    const { method, options } = call;
    const headers = conversation.mirrorsArguments ? this.#headers(method, params, options) : options.headers;
    call.legs++;
    return conversation.send(method, params, options, new Leg(call, headers, this.#isRepeatable(call)));
  }

  #headers(method: string, params: Params, { headers }: RequestOptions): RequestOptions['headers'] {
    const { mirrored, extensions } = this.#host;
    if (method !== 'tools/call') return extensions.headers(method, params, headers);
    return mirrored.of(String(params['name']), params['arguments'], headers);
  }

  // Prepares a retry of a request that the server did not execute (429, 503, `HeaderMismatch`). Throws other errors.
  async #recover(conversation: Conversation, call: Call, error: unknown): Promise<void> {
    const { method, options, deadline, patience } = call;
    call.legs--;
    if (isHeaderMismatch(error) && method === 'tools/call' && conversation.mirrorsArguments && !call.hasListed) {
      call.hasListed = true;
      await this.#vetting.listTools(call, true);
      this.#host.mirrored.check(String(call.params['name']));
      return;
    }
    const wait = this.#isRepeatable(call) ? pauseAfter(error, call.busy, Math.min(deadline, patience)) : undefined;
    if (wait === undefined) throw error;
    call.busy++;
    const { signal, release } = anySignal([conversation.ended, options.signal]);
    await sleep(wait, signal);
    release();
    if (conversation.ended.aborted) throw conversation.ended.reason;
    if (options.signal?.aborted) throw aborted(call.what, options.signal);
  }

  #answer(
    conversation: Conversation,
    call: Call,
    take: (other: Other, call: Call) => Result | Rest<Result>,
  ): Promise<Result | Rest<Result>> {
    const keep = this.cache.expect(call.method, call.params, NOBODY);
    call.legs = 0;
    const read = (settled: Settled): Result | Rest<Result> | Promise<Result> =>
      settled.type === 'other' ? take(settled, call) : this.#read(conversation, call, settled.result, keep);
    return throughRounds(conversation, call, this.#rounds).then(read, (error: unknown) =>
      this.#visitPages(conversation, call, error).then(read),
    );
  }

  #read(
    conversation: Conversation,
    call: Call,
    result: Result,
    keep: (result: Result) => void,
  ): Result | Promise<Result> {
    const { features: facts } = conversation.revision;
    const { book, options } = this.#host;
    const mirrored = this.#mirrored(conversation);
    const read = readResult(call.method, call.params, result, facts, book, mirrored);
    // A result after a multi round-trip request depends on the input responses, so it is not cached.
    if (call.legs !== 1 || !facts.cacheHints || options.cache === false) return read;
    if (read instanceof Promise) return read.then((later) => kept(later, keep));
    return kept(read, keep);
  }

  #visitPages(conversation: Conversation, call: Call, error: unknown): Promise<Settled> {
    const { what, deadline, options } = call;
    const patience = options.timeout ?? this.#host.options.timeout ?? DEFAULT_TIMEOUT;
    const visit = { what, patience, deadline, signal: options.signal };
    const callAgain = (): Promise<Settled> => throughRounds(conversation, call, this.#rounds);
    return this.#host.questions.visitPages(conversation, error, visit, callAgain);
  }

  // The extension resolves its result type to the final result, which is validated but never cached.
  #finish({ resultType, result }: Other, call: Call): Rest<Result> {
    const { extensions, peer, link } = this.#host;
    const { method, params, options, what } = call;
    const finisher = extensions.finisherOf(resultType, method);
    if (!finisher) throw unknownType(method);
    const isLimited = (options.maxTimeout ?? this.#host.options.maxTimeout) !== undefined;
    return async () => {
      const timeout = isLimited ? call.left : Number.POSITIVE_INFINITY;
      const open = { method, params, options, label: what };
      return this.accept(
        method,
        params,
        await finish(result, { finisher, call: open, peer, timeout, over: link.over }),
      );
    };
  }

  async #step(conversation: Conversation, call: Call, more: Params): Promise<CallState | Rest<CallState>> {
    const { method, params } = call;
    const decoded = await this.#firstStep(conversation, call, { ...params, ...more });
    if (decoded.type === 'input_required') return { done: false, pending: pendingCall(method, params, decoded) };
    if (decoded.type === 'other') {
      const rest = this.#finish(decoded, call);
      return async () => ({ done: true, result: await rest() });
    }
    const { features: facts } = conversation.revision;
    const { book } = this.#host;
    const mirrored = this.#mirrored(conversation);
    return { done: true, result: await readResult(method, params, decoded.result, facts, book, mirrored) };
  }

  async #firstStep(conversation: Conversation, call: Call, params: Params): Promise<Decoded> {
    for (;;) {
      try {
        return await this.#leg(conversation, call, params);
      } catch (error) {
        await this.#recover(conversation, call, error);
      }
    }
  }

  #mirrored({ mirrorsArguments }: Conversation): ArgumentHeaders | undefined {
    return mirrorsArguments ? this.#host.mirrored : undefined;
  }
}

function kept(result: Result, keep: (result: Result) => void): Result {
  keep(result);
  return result;
}

// With status 404 the server does not know the session, so it did not execute the request.
function wasNotCarriedOut(error: unknown): boolean {
  return error instanceof ConnectionError && error.code === 'session-lost' && error.status === 404;
}

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof RpcError && error.code === McpErrorCode.HeaderMismatch;
}

function unknownType(method: string): ConnectionError {
  return new ConnectionError('malformed', `The answer to ${method} has a "resultType" this client does not know`);
}
