/** What happens around every call: the cache, middleware, rounds of questions, a second try after a crash. */

import { ConnectionError, quoted } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import { runThrough } from '../jsonrpc/middleware.ts';
import { DEFAULT_MAXIMUM, DEFAULT_TIMEOUT } from '../jsonrpc/outgoing.ts';
import { METHODS } from '../protocol/methods.ts';
import type { Answer } from '../protocol/model/questions.ts';
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

/** What calls need. */
export interface CallsHost {
  readonly link: Link;
  readonly book: ToolBook;
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
}

type Attempt<T> = (conversation: Conversation, call: Call) => Promise<T>;

const MAX_ROUNDS = 10;
// Without authorization there is one principal.
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
    const deadline = Date.now() + (options.maxTimeout ?? this.#host.options.maxTimeout ?? DEFAULT_MAXIMUM);
    const innermost = (given: Params): Promise<T> =>
      this.#perform({ method, params: given, options, what: nameOf(method, given), deadline }, attempt);
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
    const vetting = this.#vet(call);
    if (vetting) await vetting;
    try {
      return await attempt(conversation, call);
    } catch (error) {
      // What was lost with the server is sent to the next one, once, if that can do no harm.
      const isLost = error === conversation.ended.reason && link.isComingBack;
      if (!isLost || !this.#isRepeatable(call)) throw error;
      const next = await this.#next(call);
      await this.#vet(call);
      // By now the tool may say otherwise.
      if (!this.#isRepeatable(call)) throw error;
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
  #vet(call: Call): undefined | Promise<void> {
    if (call.method !== 'tools/call') return undefined;
    const { book, options } = this.#host;
    const name = String(call.params['name']);
    refuseChanged(book, name);
    const isPinned = options.pinnedTools !== undefined && Object.hasOwn(options.pinnedTools, name);
    return isPinned && !book.get(name) ? this.#lookAt(name, call) : undefined;
  }

  async #lookAt(name: string, { options, deadline }: Call): Promise<void> {
    const { book } = this.#host;
    const { timeout, signal } = options;
    await allItems(
      'tools/list',
      async (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        const page = { timeout, signal, maxTimeout: left(deadline) };
        return pageOf('tools/list', 'tools', await this.request('tools/list', params, page));
      },
      pagesOptions(this.#host.options),
    );
    refuseChanged(book, name);
    if (!book.get(name)) throw new ConnectionError('refused', `The pinned tool ${quoted(name)} is not listed any more`);
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
          return conversation.send(method, leg, legOptions, what);
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
    const read = await readResult(method, params, result, facts, book);
    // What was answered after questions depends on the answers, and is for this call only.
    if (legs === 1 && facts.cacheHints && this.#host.options.cache !== false) keep(read);
    return read;
  }

  async #step(conversation: Conversation, call: Call, more: Params): Promise<Step> {
    const { method, params, what } = call;
    const options = { ...call.options, maxTimeout: left(call.deadline) };
    const decoded = await conversation.send(method, { ...params, ...more }, options, what);
    if (decoded.type === 'input_required') return { done: false, pending: pendingCall(method, params, decoded) };
    const { book } = this.#host;
    return { done: true, result: await readResult(method, params, decoded.result, conversation.revision.facts, book) };
  }
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
