/** What the server wants from us: questions, requests of its own making, and visits to pages. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params, type Request } from '../jsonrpc/message.ts';
import { runMiddleware } from '../jsonrpc/middleware.ts';
import { hasCapability } from '../protocol/capabilities.ts';
import type { ClientCapabilities } from '../protocol/model/capabilities.ts';
import type { ElicitResult } from '../protocol/model/elicitation.ts';
import type { InputRequest, InputResponse } from '../protocol/model/input-requests.ts';
import { anySignal } from '../timing/abort-signals.ts';
import { type AnswerHandlers, answerQuestion, canAnswer, type QuestionContext } from './answering.ts';
import type { Conversation } from './conversation.ts';
import type { ClientMiddleware } from './middleware.ts';
import { until } from './until.ts';
import { Completions, elicitationsIn, type UrlElicitation } from './url-elicitations.ts';

/** Answers a request of the server's that is not the protocol's. What it throws as `RpcError` the server is told. */
export type RequestHandler = (params: Params, ctx: QuestionContext) => unknown;

/** What answering needs. */
export interface QuestionsHost {
  /** As of now: roots may change. */
  readonly handlers: AnswerHandlers;
  readonly declared: ClientCapabilities;
  readonly own: ReadonlyMap<string, RequestHandler>;
  readonly middleware: readonly ClientMiddleware[];
}

/** How long a call that needs pages to be visited can wait. */
export interface Visit {
  /** How errors name the call. */
  readonly what: string;
  /** Milliseconds to wait for a page to be done. */
  readonly patience: number;
  /** When the call must be over. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** One set of handlers, whichever way the questions arrive. */
export class Questions {
  readonly completions: Completions = new Completions();
  readonly #host: QuestionsHost;

  constructor(host: QuestionsHost) {
    this.#host = host;
  }

  /** True for what somebody here can answer, and may take time over. */
  has(method: string): boolean {
    return this.#host.own.has(method) || canAnswer(method, this.#host.handlers);
  }

  /** Answers a question that arrived within a result. */
  async answer(question: InputRequest, signal: AbortSignal, from: Conversation): Promise<InputResponse> {
    return (await this.#through(question.method, { ...question.params }, from, (params) =>
      this.#ask({ ...question, params } as InputRequest, signal, from),
    )) as InputResponse;
  }

  /** Answers a live request. */
  async take(request: Request, signal: AbortSignal, from: Conversation): Promise<unknown> {
    const { method } = request;
    const given = isObject(request.params) ? request.params : {};
    return this.#through(method, given, from, (params) => {
      const own = this.#host.own.get(method);
      if (own) return own(params, { signal, server: from.server.info });
      if (method === 'ping') return {};
      return this.#ask({ method, params } as InputRequest, signal, from);
    });
  }

  /**
   * If the call failed because pages have to be visited first, asks for consent, waits until the server says that they
   * were, and calls once more. Any other failure stays one.
   */
  async visitPages<T>(
    conversation: Conversation,
    error: unknown,
    { what, patience, deadline, signal }: Visit,
    callAgain: () => Promise<T>,
  ): Promise<T> {
    const pages = conversation.revision.features.elicitationIds ? elicitationsIn(error) : undefined;
    if (!pages || !hasCapability(this.#host.declared, 'elicitation.url')) throw error;
    const signals = [conversation.ended, signal];
    const left = (): number => Math.max(deadline - Date.now(), 0);
    const visits = this.completions.expect(pages);
    const over = anySignal(signals);
    try {
      const consents = this.#consents(pages, over.signal, conversation);
      if (!(await until(consents, { what, timeout: left(), signals }))) throw error;
      // The server need not say when a page is done; after a while the call itself tells.
      const waited = until(visits.done, { what, timeout: Math.min(patience, left()), signals });
      await waited.catch((cause: unknown) => {
        if (over.signal.aborted || left() === 0) throw cause;
      });
    } catch (cause) {
      // What cannot be asked leaves the call as it was.
      throw cause instanceof RpcError ? error : cause;
    } finally {
      visits.forget();
      over.release();
    }
    return callAgain();
  }

  async #consents(pages: readonly UrlElicitation[], signal: AbortSignal, from: Conversation): Promise<boolean> {
    for (const page of pages) {
      signal.throwIfAborted();
      const answer = (await this.answer({ method: 'elicitation/create', params: page }, signal, from)) as ElicitResult;
      if (answer.action !== 'accept') return false;
    }
    return true;
  }

  // What was declared is what the revision had words for, and the answer is in its words too.
  async #ask(question: InputRequest, signal: AbortSignal, { revision, server }: Conversation): Promise<InputResponse> {
    const { handlers, declared } = this.#host;
    const ctx = { signal, server: server.info };
    const answer = await answerQuestion(question, handlers, revision.encodeCapabilities(declared), ctx);
    return revision.encodeInputResponse(question.method, answer);
  }

  async #through(
    method: string,
    params: Params,
    from: Conversation,
    innermost: (params: Params) => unknown,
  ): Promise<unknown> {
    const { middleware } = this.#host;
    const call = { direction: 'in', kind: 'request', method, params, revision: from.version } as const;
    const result = await runMiddleware(middleware, call, (changed) => innermost(changed.params));
    if (!isObject(result)) throw RpcError.internal(`The client has no answer to ${method}`);
    return result;
  }
}
