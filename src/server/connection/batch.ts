/** JSON-RPC batches: several messages in one JSON array. */

import { type ParseError, RpcError } from '../../jsonrpc/errors.ts';
import { type Batch, isUnreadable, messageObjectOf } from '../../jsonrpc/json/parse-message.ts';
import { isPromise, type MaybePromise } from '../../jsonrpc/maybe-promise.ts';
import { isRequest, type Message, type Request, type Response, serialize } from '../../jsonrpc/message.ts';
import { requestedVersion } from '../../protocol/revision-of-message.ts';
import type { RevisionFeatures } from '../../protocol/revisions.ts';
import type { ConnectionExchange } from './exchange.ts';

export interface BatchConnection {
  /** Handles a request and returns its response; undefined if the request was cancelled. */
  handleRequest(request: Request): MaybePromise<Response | undefined>;
  /** Handles a notification or a response. */
  receive(message: Message): void;
  /** Returns the error response to an invalid message; undefined if the message is a notification or a response. */
  refuse(fault: ParseError): Response | undefined;
  /** Returns the error response to send instead of `response`, which cannot be encoded as JSON. `onError` gets `cause`. */
  unencodable(response: Response, cause: unknown): Response;
}

/** Returns an error if the revision has no batches, or if a message (such as `initialize`) is not allowed in a batch. */
export function batchRefusal(batch: Batch, features: RevisionFeatures | undefined): RpcError | undefined {
  if (!features || features.batches === 'refused') {
    return RpcError.invalidRequest('Batches are not part of this protocol revision');
  }
  return batch.some(mustBeSentAlone)
    ? RpcError.invalidRequest('"initialize" and requests with a protocol version in "_meta" cannot be part of a batch')
    : undefined;
}

function mustBeSentAlone(element: Message | ParseError): boolean {
  const call = messageObjectOf(element);
  return call !== undefined && (call.method === 'initialize' || requestedVersion(call.params) !== undefined);
}

/** Handles all messages of a batch. Resolves to the responses in the order of the requests. */
export async function handleBatch(batch: Batch, connection: BatchConnection): Promise<Response[]> {
  const pending: MaybePromise<Response | undefined>[] = [];
  for (const element of batch) {
    if (isUnreadable(element)) pending.push(connection.refuse(element));
    else if (isRequest(element)) pending.push(connection.handleRequest(element));
    else connection.receive(element);
  }
  const responses = (await Promise.all(pending)).filter((response) => response !== undefined);
  return responses.map((response) => encodable(response, connection));
}

/** Resolves to `response`, or to undefined when the request is cancelled, even if the handler of the request still runs. */
export function unlessDiscarded(
  response: MaybePromise<Response | undefined>,
  exchange: Pick<ConnectionExchange, 'isDiscarded' | 'onEnd'> | undefined,
): MaybePromise<Response | undefined> {
  if (!isPromise(response) || !exchange) return response;
  const discarded = new Promise<undefined>((resolve) => {
    exchange.onEnd(() => exchange.isDiscarded && resolve(undefined));
  });
  return Promise.race([response, discarded]);
}

// Replaces a response that cannot be encoded as JSON with an error. Otherwise no response of the batch could be sent.
function encodable(response: Response, connection: BatchConnection): Response {
  try {
    serialize(response);
    return response;
  } catch (cause) {
    return connection.unencodable(response, cause);
  }
}
