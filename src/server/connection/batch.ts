/** JSON-RPC batches: several messages in one JSON array. */

import { type ParseError, RpcError } from '../../jsonrpc/errors.ts';
import { type Batch, isUnreadable, messageObjectOf } from '../../jsonrpc/json/parse-message.ts';
import { isPromise, type MaybePromise } from '../../jsonrpc/maybe-promise.ts';
import { isRequest, type Message, type Request, type Response, serialize } from '../../jsonrpc/message.ts';
import type { RevisionFeatures } from '../../protocol/revisions.ts';
import { requestedVersion } from '../../protocol/select-revision.ts';
import type { ConnectionExchange } from './exchange.ts';

/** The functions of a connection that handle the elements of a batch. */
export interface BatchConnection {
  /** Handles a request. Returns undefined if the request gets no response. */
  handleRequest(request: Request): MaybePromise<Response | undefined>;
  /** Handles a notification or a response. */
  receive(message: Message): void;
  /** Returns the error response to an element that is not a valid message; undefined if it gets none. */
  refuse(fault: ParseError): Response | undefined;
  /** Returns the error response that replaces a response which cannot be encoded as JSON. */
  unencodable(response: Response, cause: unknown): Response;
}

/** Returns the error for a batch that is refused as a whole; undefined if the batch is accepted. */
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

/** Handles all messages of a batch. Returns the responses in the order of the requests. */
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

/** Resolves to the response, or to undefined once its request is cancelled: the batch does not wait for a cancelled handler. */
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

// Replaces a response that cannot be encoded as JSON by an error response. It would prevent the whole batch from being sent.
function encodable(response: Response, connection: BatchConnection): Response {
  try {
    serialize(response);
    return response;
  } catch (cause) {
    return connection.unencodable(response, cause);
  }
}
