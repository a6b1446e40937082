/** Several messages that came as one JSON array. */

import { type ParseError, RpcError } from '../../jsonrpc/errors.ts';
import { type Batch, isUnreadable, messageObjectOf } from '../../jsonrpc/json/parse.ts';
import { isPromise, type MaybePromise } from '../../jsonrpc/maybe-promise.ts';
import { isRequest, type Message, type Request, type Response, serialize } from '../../jsonrpc/message.ts';
import type { RevisionFeatures } from '../../protocol/revisions.ts';
import { requestedVersion } from '../../protocol/select-revision.ts';
import type { ConnectionExchange } from './exchange.ts';

type CallExchange = Pick<ConnectionExchange, 'dropped' | 'onEnd'>;

/** What answering a batch needs of its connection. */
export interface BatchConnection {
  answer(request: Request): MaybePromise<Response | undefined>;
  /** Takes what wants no answer. */
  take(message: Message): void;
  refuse(fault: ParseError): Response | undefined;
  /** What is answered in place of a result that cannot be written as JSON. */
  unencodable(response: Response, cause: unknown): Response;
}

/** Why a batch is not taken, if so. */
export function batchRefusal(batch: Batch, facts: RevisionFeatures | undefined): RpcError | undefined {
  if (!facts || facts.batches === 'refused') {
    return RpcError.invalidRequest('Batches are not part of this protocol revision');
  }
  return batch.some(standsAlone) ? RpcError.invalidRequest('A batch may not hold this kind of request') : undefined;
}

// The handshake, and requests that bring their own revision.
function standsAlone(one: Message | ParseError): boolean {
  const call = messageObjectOf(one);
  return call !== undefined && (call.method === 'initialize' || requestedVersion(call.params) !== undefined);
}

/** The answers to all of it, in its order. */
export async function handleBatch(batch: Batch, line: BatchConnection): Promise<Response[]> {
  const answers: MaybePromise<Response | undefined>[] = [];
  for (const one of batch) {
    if (isUnreadable(one)) answers.push(line.refuse(one));
    else if (isRequest(one)) answers.push(line.answer(one));
    else line.take(one);
  }
  const responses = (await Promise.all(answers)).filter((response) => response !== undefined);
  return responses.map((response) => encodable(response, line));
}

/** The answer to a part of a batch. A call that was cancelled and does not end must not hold back those of the others. */
export function unlessDiscarded(
  response: MaybePromise<Response | undefined>,
  exchange: CallExchange | undefined,
): MaybePromise<Response | undefined> {
  if (!isPromise(response) || !exchange) return response;
  const dropped = new Promise<undefined>((resolve) => {
    exchange.onEnd(() => exchange.dropped && resolve(undefined));
  });
  return Promise.race([response, dropped]);
}

// One result that cannot be encoded must not take the others with it.
function encodable(response: Response, line: BatchConnection): Response {
  try {
    serialize(response);
    return response;
  } catch (cause) {
    return line.unencodable(response, cause);
  }
}
