/** Bodies and events to messages, as far as HTTP says more about them than they do themselves. */

import { ParseError } from '../../../jsonrpc/errors.ts';
import type { Batch, Payload } from '../../../jsonrpc/json/parse-message.ts';
import {
  type Id,
  isBatch,
  isErrorResponse,
  isResponse,
  type Message,
  type Response,
} from '../../../jsonrpc/message.ts';

/** The response to the request with this id, or the fault that made it unreadable, if it is there. */
export function answerIn(payload: Payload, id: Id): Response | ParseError | undefined {
  if (!isBatch(payload)) return answers(payload as Message | ParseError, id);
  for (const one of payload as Batch) {
    const answer = answers(one, id);
    if (answer) return answer;
  }
  return undefined;
}

function answers(one: Message | ParseError, id: Id): Response | ParseError | undefined {
  const isAnswer = one instanceof ParseError ? one.isResponse && one.id === id : isResponse(one) && one.id === id;
  return isAnswer ? (one as Response | ParseError) : undefined;
}

/** An error without an id that arrives where one request is answered is the answer to that request. */
export function addressed(payload: Payload, id: Id): Payload {
  if (payload instanceof ParseError || isBatch(payload)) return payload;
  const message = payload as Message;
  return isErrorResponse(message) && message.id == null ? { ...message, id } : message;
}
