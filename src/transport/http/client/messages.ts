/** Finds the response to a request in the JSON bodies and SSE events of its exchange. */

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

/** Returns the response with this id, or the `ParseError` of an unreadable one; undefined if the payload has neither. */
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

/** Sets the id of an error response that has none, because an exchange carries the response to one request only. */
export function addressed(payload: Payload, id: Id): Payload {
  if (payload instanceof ParseError || isBatch(payload)) return payload;
  const message = payload as Message;
  return isErrorResponse(message) && message.id == null ? { ...message, id } : message;
}
