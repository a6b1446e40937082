/** What happens around every call: the cache, middleware, rounds of questions, and a second try where one is due. */

import { ConnectionError, quoted, RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import { runThrough } from '../jsonrpc/middleware.ts';
import { aborted, DEFAULT_MAXIMUM, DEFAULT_TIMEOUT } from '../jsonrpc/outgoing.ts';
import { McpErrorCode } from '../protocol/errors.ts';
import { METHODS } from '../protocol/methods.ts';
import type { Answer } from '../protocol/model/questions.ts';
import type { Decoded } from '../protocol/revision.ts';
import type { ArgumentHeaders } from './argument-headers.ts';
import { pauseAfter } from './busy.ts';
import { ResponseCache } from './cache.ts';
import type { Conversation } from './conversation.ts';
import type { Link } from './link.ts';
import type { ClientMiddleware } from './middleware.ts';
import type { ConnectionOptions, RequestOptions } from './options.ts';
import { allItems, pageOf, pagesOptions } from './pages.ts';
import type { Questions } from './questions.ts';
import { readResult } from './results.ts';
import { nextParams, type PendingCall, pendingCall, type Step, throughRounds } from './rounds.ts';
import type { ToolBook } from './tool-book.ts';
import { firstOf, pause } from './until.ts';

/** What calls need. */
export interface CallsHost {
  readonly link: Link;
  readonly book: ToolBook;
  /** Where arguments are repeated as headers. */
  readonly mirrored: ArgumentHeaders;
  readonly questions: Questions;
  readonly middleware: readonly ClientMiddleware[];
  readonly options: ConnectionOptions;
}

type Result = Record<string, unknown>;

/** One call on its way. */
interface Call {
  readonly method: string;
  readonly params: Params;
  readonly options: RequestOptions;
  /** How errors name it. */
  readonly what: string;
  /** When it must be over, whatever it waits for. */
  readonly deadline: number;
  /** When it must have got further, or the server is too busy for it. */
  readonly patience: number;
  /** How often the server said that it is too busy. */
  busy: number;
  /** Whether the tools were listed because the headers did not match. */
  hasListed: boolean;
}

type Attempt<T> = (conversation: Conversation, call: Call) => Promise<T>;

const MAX_ROUNDS = 10;
// A connection has one principal at a time: when somebody signs in, nothing is kept.
const NOBODY = '';

/** Makes calls, from the caller's params to the checked result. */
export class Calls {
  readonly cache: ResponseCache = new ResponseCache();
  readonly #host: CallsHost;
  readonly #answered: Attempt<Result> = (conversation, call) => this.#answer(conversation, call);

  constructor(host: CallsHost) {
    this.#host = host;
  }

  /** Calls a method and gives its result. Questions that stand before the result are answered on the way. */
  async request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    const isCached = this.#host.options.cache !== false;
    const kept = isCached && !options.fresh ? this.cache.get(method, params, NOBODY) : undefined;
    return kept ?? this.#send(method, params, options, this.#answered);
  }

  /** Sends a call and stops at the first questions. */
  start(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Step> {
    return this.#send(method, params, options, (conversation, call) => this.#step(conversation, call, {}));
  }

  /** Goes on with a call that waits, with the answers by key. */
  async resume(
    pending: PendingCall,
    answers: Readonly<Record<string, Answer>>,
    options: RequestOptions = {},
  ): Promise<Step> {
    const { method, params, questions, state } = pending;
    const keys = Object.keys(questions);
    const missing = keys.filter((key) => !Object.hasOwn(answers, key));
    if (missing.length > 0) throw new TypeError(`No answer to ${missing.map((key) => `"${key}"`).join(', ')}`);
    const given = Object.fromEntries(keys.map((key) => [key, answers[key]]));
    const more = nextParams({}, keys.length > 0 ? given : undefined, state);
    return this.#send(method, params, options, (conversation, call) => this.#step(conversation, call, more));
  }

  async #send<T extends object>(
    method: string,
    params: Params,
    options: RequestOptions,
    attempt: Attempt<T>,
  ): Promise<T> {
    const { link, middleware } = this.#host;
    const now = Date.now();
    const deadline = now + (options.maxTimeout ?? this.#host.options.maxTimeout ?? DEFAULT_MAXIMUM);
    const patience = now + (options.timeout ?? this.#host.options.timeout ?? DEFAULT_TIMEOUT);
    const innermost = (params: Params): Promise<T> => {
      const what = nameOf(method, params);
      return this.#perform({ method, params, options, what, deadline, patience, busy: 0, hasListed: false }, attempt);
    };
    if (middleware.length === 0) return innermost(params);
    const call = { direction: 'out', kind: 'request', method, params, revision: link.present?.version ?? '' } as const;
    const result = await runThrough(middleware, call, (changed) => innermost(changed.params));
    if (!isObject(result)) throw new TypeError(`A middleware gave no result for ${method}`);
    return result as T;
  }

  // Without waiting where there is nothing to wait for: what is called first is sent first.
  async #perform<T>(call: Call, attempt: Attempt<T>): Promise<T> {
    const { link } = this.#host;
    const conversation = link.present ?? (await this.#next(call));
    const vetting = this.#vet(call, conversation);
    if (vetting) await vetting;
    try {
      return await attempt(conversation, call);
    } catch (error) {
      // What was lost with the server is sent to the next one, once, if that can do no harm.
      const isUnheard = wasNotCarriedOut(error);
      const isLost = (isUnheard || error === conversation.ended.reason) && link.isComingBack;
      if (!isLost || !(isUnheard || this.#isRepeatable(call))) throw error;
      const next = await this.#next(call);
      await this.#vet(call, next);
      // By now the tool may say otherwise.
      if (!isUnheard && !this.#isRepeatable(call)) throw error;
      return attempt(next, call);
    }
  }

  #next({ options, what, deadline }: Call): Promise<Conversation> {
    return this.#host.link.conversation({ ...options, maxTimeout: left(deadline) }, what);
  }

  #isRepeatable({ method, params, options }: Call): boolean {
    if (options.idempotent !== undefined) return options.idempotent;
    if (method === 'tools/call') return this.#host.book.isRepeatable(String(params['name']));
    return METHODS.has(method);
  }

  // A tool whose new definition was refused is not called, nor one that was pinned before its definition is known.
  #vet(call: Call, conversation: Conversation): undefined | Promise<void> {
    if (call.method !== 'tools/call') return undefined;
    const { book, mirrored, options } = this.#host;
    const name = String(call.params['name']);
    refuseChanged(book, name);
    if (conversation.mirrorsArguments) mirrored.check(name);
    const isPinned = options.pinnedTools !== undefined && Object.hasOwn(options.pinnedTools, name);
    return isPinned && !book.get(name) ? this.#lookAt(name, call) : undefined;
  }

  async #lookAt(name: string, call: Call): Promise<void> {
    const { book } = this.#host;
    await this.#listTools(call, false);
    refuseChanged(book, name);
    if (!book.get(name)) throw new ConnectionError('refused', `The pinned tool ${quoted(name)} is not listed any more`);
  }

  async #listTools({ options, deadline }: Call, fresh: boolean): Promise<void> {
    const { timeout, signal, headers } = options;
    await allItems(
      'tools/list',
      async (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        const page = { timeout, signal, headers, fresh, maxTimeout: left(deadline) };
        return pageOf('tools/list', 'tools', await this.request('tools/list', params, page));
      },
      pagesOptions(this.#host.options),
    );
  }

  // Whether carrying it out twice does harm, and what of it is repeated as headers, is known here.
  #leg(conversation: Conversation, call: Call, params: Params, options: RequestOptions): Promise<Decoded> {
    const { method, what } = call;
    const repeatable = this.#isRepeatable(call);
    const isMirrored = method === 'tools/call' && conversation.mirrorsArguments;
    const headers = isMirrored
      ? this.#host.mirrored.of(String(params['name']), params['arguments'], options.headers)
      : options.headers;
    return conversation.send(method, params, options, { what, headers, repeatable });
  }

  // The server was too busy for it, or did not like its headers: neither time it was carried out.
  async #recover(conversation: Conversation, call: Call, error: unknown): Promise<void> {
    const { method, options, deadline, patience, what } = call;
    if (isHeaderMismatch(error) && method === 'tools/call' && conversation.mirrorsArguments && !call.hasListed) {
      call.hasListed = true;
      await this.#listTools(call, true);
      this.#host.mirrored.check(String(call.params['name']));
      return;
    }
    const wait = this.#isRepeatable(call) ? pauseAfter(error, call.busy, Math.min(deadline, patience)) : undefined;
    if (wait === undefined) throw error;
    call.busy++;
    const { signal, release } = firstOf([conversation.ended, options.signal]);
    await pause(wait, signal);
    release();
    if (conversation.ended.aborted) throw conversation.ended.reason;
    if (options.signal?.aborted) throw aborted(what, options.signal);
  }

  async #answer(conversation: Conversation, call: Call): Promise<Result> {
    const { method, params, options, what, deadline } = call;
    const { questions, book } = this.#host;
    const keep = this.cache.expect(method, params, NOBODY);
    let legs = 0;
    const attempt = (): Promise<Result> =>
      throughRounds({
        params,
        options,
        what,
        deadline,
        maxRounds: this.#host.options.maxRounds ?? MAX_ROUNDS,
        ended: conversation.ended,
        send: (leg, legOptions) => {
          legs++;
          return this.#leg(conversation, call, leg, legOptions);
        },
        recover: (error) => {
          legs--;
          return this.#recover(conversation, call, error);
        },
        answer: (question, signal) => questions.answer(question, signal, conversation),
      });
    let result: Result;
    try {
      result = await attempt();
    } catch (error) {
      const patience = options.timeout ?? this.#host.options.timeout ?? DEFAULT_TIMEOUT;
      const visit = { what, patience, deadline, signal: options.signal };
      result = await questions.visitPages(conversation, error, visit, attempt);
    }
    const { facts } = conversation.revision;
    const read = await readResult(method, params, result, facts, book, this.#mirrored(conversation));
    // What was answered after questions depends on the answers, and is for this call only.
    if (legs === 1 && facts.cacheHints && this.#host.options.cache !== false) keep(read);
    return read;
  }

  async #step(conversation: Conversation, call: Call, more: Params): Promise<Step> {
    const { method, params } = call;
    const decoded = await this.#firstStep(conversation, call, { ...params, ...more });
    if (decoded.type === 'input_required') return { done: false, pending: pendingCall(method, params, decoded) };
    const { facts } = conversation.revision;
    const { book } = this.#host;
    const mirrored = this.#mirrored(conversation);
    return { done: true, result: await readResult(method, params, decoded.result, facts, book, mirrored) };
  }

  async #firstStep(conversation: Conversation, call: Call, params: Params): Promise<Decoded> {
    for (;;) {
      try {
        return await this.#leg(conversation, call, params, { ...call.options, maxTimeout: left(call.deadline) });
      } catch (error) {
        await this.#recover(conversation, call, error);
      }
    }
  }

  #mirrored({ mirrorsArguments }: Conversation): ArgumentHeaders | undefined {
    return mirrorsArguments ? this.#host.mirrored : undefined;
  }
}

// The server refused to look at it: it does not know the session any more.
function wasNotCarriedOut(error: unknown): boolean {
  return error instanceof ConnectionError && error.code === 'session-lost' && error.status === 404;
}

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof RpcError && error.code === McpErrorCode.HeaderMismatch;
}

function left(deadline: number): number {
  return Math.max(deadline - Date.now(), 0);
}

function nameOf(method: string, params: Params): string {
  const name = params['name'] ?? params['uri'];
  return typeof name === 'string' ? `${method} ${quoted(name)}` : method;
}

function refuseChanged(book: ToolBook, name: string): void {
  if (!book.isRefused(name)) return;
  throw new ConnectionError('refused', `The definition of tool ${quoted(name)} changed and was refused`);
}
