/** What happens around every call: the cache, middleware, rounds of questions, a second try after a crash. */

import { ConnectionError, shorten } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { runThrough } from '../jsonrpc/middleware.ts';
import { METHODS } from '../protocol/methods.ts';
import type { Answer } from '../protocol/model/questions.ts';
import { ResponseCache } from './cache.ts';
import type { Conversation } from './conversation.ts';
import type { Link } from './link.ts';
import type { ClientMiddleware } from './middleware.ts';
import type { ConnectionOptions, RequestOptions } from './options.ts';
import { allItems, pageOf } from './pages.ts';
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

const LONGEST_CALL = 30 * 60_000;
const MAX_ROUNDS = 10;
// Without authorization there is one principal.
const NOBODY = '';

/** Makes calls, from the caller's params to the checked result. */
export class Calls {
  readonly cache: ResponseCache = new ResponseCache();
  readonly #host: CallsHost;

  constructor(host: CallsHost) {
    this.#host = host;
  }

  /** Calls a method and gives its result. Questions that stand before the result are answered on the way. */
  async request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    const isCached = this.#host.options.cache !== false;
    const kept = isCached && !options.fresh ? this.cache.get(method, params, NOBODY) : undefined;
    if (kept) return kept;
    return (await this.#throughMiddleware(method, params, options, (conversation, changed) =>
      this.#answered(conversation, method, changed, options),
    )) as Result;
  }

  /** Sends a call and stops at the first questions. */
  async start(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Step> {
    return (await this.#throughMiddleware(method, params, options, (conversation, changed) =>
      this.#step(conversation, method, changed, {}, options),
    )) as Step;
  }

  /** Goes on with a call that waits, with the answers by key. */
  async resume(
    pending: PendingCall,
    answers: Readonly<Record<string, Answer>>,
    options: RequestOptions = {},
  ): Promise<Step> {
    const { method, params, questions, state } = pending;
    const missing = Object.keys(questions).filter((key) => !Object.hasOwn(answers, key));
    if (missing.length > 0) throw new TypeError(`No answer to ${missing.map((key) => `"${key}"`).join(', ')}`);
    const more = nextParams({}, Object.keys(questions).length > 0 ? answers : undefined, state);
    return (await this.#throughMiddleware(method, params, options, (conversation, changed) =>
      this.#step(conversation, method, changed, more, options),
    )) as Step;
  }

  async #throughMiddleware(
    method: string,
    params: Params,
    options: RequestOptions,
    attempt: (conversation: Conversation, params: Params) => Promise<unknown>,
  ): Promise<unknown> {
    const { link, middleware } = this.#host;
    const innermost = (changed: Params): Promise<unknown> =>
      this.#again(method, changed, options, (conversation) => attempt(conversation, changed));
    if (middleware.length === 0) return innermost(params);
    const revision = link.present?.revision.facts.version ?? '';
    const call = { direction: 'out', kind: 'request', method, params, revision } as const;
    return runThrough(middleware, call, (changed) => innermost(changed.params));
  }

  // A call that was lost with the server is sent to the next one, once, if that can do no harm.
  async #again<T>(
    method: string,
    params: Params,
    options: RequestOptions,
    attempt: (conversation: Conversation) => Promise<T>,
  ): Promise<T> {
    const { link } = this.#host;
    const what = nameOf(method, params);
    // Without waiting where there is nothing to wait for: what is called first is sent first.
    const vetting = method === 'tools/call' ? this.#vet(String(params['name']), options) : undefined;
    if (vetting) await vetting;
    const conversation = link.present ?? (await link.conversation(options, what));
    try {
      return await attempt(conversation);
    } catch (error) {
      const isLost = error === conversation.ended.reason && link.isComingBack;
      if (!isLost || !this.#isRepeatable(method, params, options)) throw error;
      return attempt(await link.conversation(options, what));
    }
  }

  // A tool whose new definition was refused is not called, nor one that was pinned before its definition is known.
  #vet(name: string, options: RequestOptions): undefined | Promise<void> {
    const { book } = this.#host;
    const { pinnedTools } = this.#host.options;
    if (pinnedTools && Object.hasOwn(pinnedTools, name) && !book.get(name) && !book.isRefused(name)) {
      return this.#listTools(options).then(() => refuseChanged(book, name));
    }
    refuseChanged(book, name);
    return undefined;
  }

  async #listTools({ signal }: RequestOptions): Promise<void> {
    const { maxPages } = this.#host.options;
    await allItems(
      'tools/list',
      async (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        return pageOf('tools/list', 'tools', await this.request('tools/list', params, { signal }));
      },
      maxPages === undefined ? {} : { maxPages },
    );
  }

  #isRepeatable(method: string, params: Params, options: RequestOptions): boolean {
    if (options.idempotent !== undefined) return options.idempotent;
    if (method === 'tools/call') return this.#host.book.isRepeatable(String(params['name']));
    return METHODS.has(method);
  }

  async #answered(
    conversation: Conversation,
    method: string,
    params: Params,
    options: RequestOptions,
  ): Promise<Result> {
    const { questions } = this.#host;
    const keep = this.cache.expect(method, params, NOBODY);
    let legs = 0;
    const attempt = (): Promise<Result> =>
      throughRounds({
        method,
        params,
        options,
        what: nameOf(method, params),
        maxRounds: this.#host.options.maxRounds ?? MAX_ROUNDS,
        budget: options.maxTimeout ?? this.#host.options.maxTimeout ?? LONGEST_CALL,
        ended: conversation.ended,
        send: (leg, legOptions) => {
          legs++;
          return conversation.send(method, leg, legOptions, nameOf(method, params));
        },
        answer: (question, signal) => questions.answer(question, signal, conversation),
      });
    const result = await attempt().catch((error: unknown) =>
      questions.visitPages(conversation, error, options, attempt),
    );
    const read = await readResult(method, params, result, conversation.revision.facts, this.#host.book);
    // What was answered after questions depends on the answers, and is for this call only.
    const { facts } = conversation.revision;
    if (legs === 1 && facts.cacheHints && this.#host.options.cache !== false) keep(read);
    return read;
  }

  async #step(
    conversation: Conversation,
    method: string,
    params: Params,
    more: Params,
    options: RequestOptions,
  ): Promise<Step> {
    const decoded = await conversation.send(method, { ...params, ...more }, options, nameOf(method, params));
    if (decoded.type === 'input_required') return { done: false, pending: pendingCall(method, params, decoded) };
    const { book } = this.#host;
    return { done: true, result: await readResult(method, params, decoded.result, conversation.revision.facts, book) };
  }
}

/** How errors name a call. */
function nameOf(method: string, params: Params): string {
  const name = params['name'] ?? params['uri'];
  return typeof name === 'string' ? `${method} ${JSON.stringify(shorten(name))}` : method;
}

function refuseChanged(book: ToolBook, name: string): void {
  if (!book.isRefused(name)) return;
  throw new ConnectionError(
    'refused',
    `The definition of tool ${JSON.stringify(shorten(name))} changed and was refused`,
  );
}
