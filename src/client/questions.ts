/** Handles requests from the server: input requests, requests outside the protocol, and URL elicitations. */

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

/** Handles a server request that the protocol does not define. A thrown `RpcError` is sent to the server. */
export type RequestHandler = (params: Params, ctx: QuestionContext) => unknown;

export interface QuestionsHost {
  /** Read for each request, because `setRoots` replaces a handler. */
  readonly handlers: AnswerHandlers;
  readonly declared: ClientCapabilities;
  readonly own: ReadonlyMap<string, RequestHandler>;
  readonly middleware: readonly ClientMiddleware[];
}

/** Time limits of a call that waits for URL elicitations. */
export interface Visit {
  /** Name of the call in error messages. */
  readonly what: string;
  /** Milliseconds to wait for `notifications/elicitation/complete`. */
  readonly patience: number;
  /** Time at which the call fails, in milliseconds since 1970. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** Handles input requests with the same handlers, whether they arrive as JSON-RPC requests or in results. */
export class Questions {
  readonly completions: Completions = new Completions();
  readonly #host: QuestionsHost;

  constructor(host: QuestionsHost) {
    this.#host = host;
  }

  /** Returns true if a handler of the application responds to the method, which can take long. */
  has(method: string): boolean {
    return this.#host.own.has(method) || canAnswer(method, this.#host.handlers);
  }

  /** Handles an input request that did not arrive as a JSON-RPC request. */
  async answer(question: InputRequest, signal: AbortSignal, from: Conversation): Promise<InputResponse> {
    return (await this.#through(question.method, { ...question.params }, from, (params) =>
      this.#ask({ ...question, params } as InputRequest, signal, from),
    )) as InputResponse;
  }

  /** Handles a JSON-RPC request from the server. */
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
   * Handles error -32042 (URL elicitation required): asks for consent to each URL, waits until the server reports the
   * elicitations as complete, and repeats the call. Throws any other error.
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
      // Servers need not report completion, so the call is repeated after `patience` anyway.
      const waited = until(visits.done, { what, timeout: Math.min(patience, left()), signals });
      await waited.catch((cause: unknown) => {
        if (over.signal.aborted || left() === 0) throw cause;
      });
    } catch (cause) {
      // If the elicitation fails with an `RpcError`, the call fails with its original error.
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

  // Checks against the capabilities as encoded for this revision, and encodes the response for it too.
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
