/** Answers to what a server asks: one set of handlers, whichever way the questions arrive. */

import { RpcError } from '../jsonrpc/errors.ts';
import type { ClientCapabilities } from '../protocol/model/capabilities.ts';
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from '../protocol/model/elicitation.ts';
import type { Answer, Question } from '../protocol/model/questions.ts';
import type { ListRootsResult } from '../protocol/model/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/model/sampling.ts';

/** What a client does when it is asked. Only what is here is declared to servers. */
export interface AnswerHandlers {
  /** Shows a form, or asks for consent to open a page. */
  readonly onElicit?: (params: ElicitFormParams | ElicitUrlParams) => ElicitResult | Promise<ElicitResult>;
  /**
   * Asks the model.
   * @deprecated SEP-2577: sampling may be removed from 2027-07-28 on.
   */
  readonly onSample?: (params: CreateMessageParams) => CreateMessageResult | Promise<CreateMessageResult>;
  /**
   * Names the folders servers may look at.
   * @deprecated SEP-2577: roots may be removed from 2027-07-28 on.
   */
  readonly onListRoots?: () => ListRootsResult | Promise<ListRootsResult>;
}

/** What a client with these handlers can do. */
export function capabilitiesOf(handlers: AnswerHandlers): ClientCapabilities {
  return {
    ...(handlers.onElicit ? { elicitation: { form: {}, url: {} } } : {}),
    ...(handlers.onSample ? { sampling: { tools: {}, context: {} } } : {}),
    ...(handlers.onListRoots ? { roots: {} } : {}),
  };
}

/** Answers one question; throws what the server is told if nobody can. */
export async function answerQuestion(question: Question, handlers: AnswerHandlers): Promise<Answer> {
  if (question.method === 'elicitation/create' && handlers.onElicit) {
    // The first revision with forms does not say that it is one.
    return handlers.onElicit({ ...question.params, mode: question.params.mode ?? 'form' } as ElicitFormParams);
  }
  if (question.method === 'sampling/createMessage' && handlers.onSample) return handlers.onSample(question.params);
  if (question.method === 'roots/list' && handlers.onListRoots) return handlers.onListRoots();
  throw RpcError.methodNotFound(question.method);
}
