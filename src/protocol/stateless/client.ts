/** Stateless revisions as clients speak them: requests with `_meta`, and results by `resultType`. */

import { ConnectionError } from '../../jsonrpc/errors.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import { clientCapabilities } from '../capabilities.ts';
import { METHODS } from '../methods.ts';
import type { ClientCapabilities } from '../model/capabilities.ts';
import type { InputRequest } from '../model/input-requests.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import type { ClientInfo, ClientRevision, Decoded } from '../revision.ts';
import type { RevisionFeatures } from '../revisions.ts';

/** The revision this row describes. */
export function statelessClientRevision(features: RevisionFeatures): ClientRevision {
  return {
    features,
    encodeCapabilities,
    encodeInputResponse: (_method, answer) => answer,
    encodeRequest: (params, client, meta) => encodeRequest(params, client, features.version, meta),
    decodeResult,
  };
}

/** Params with everything a request of this revision must say in its `_meta`, and with `meta` beside it. */
export function encodeRequest(params: Params | undefined, client: ClientInfo, version: string, meta?: Meta): Params {
  const given = params?.['_meta'];
  // A literal that spreads and then adds takes V8 many times as long.
  const whole = Object.assign({}, isObject(given) ? given : undefined, meta, envelopeOf(client, version));
  return Object.assign({}, params, { _meta: whole });
}

// It is the same for every request of a client, until the client is another.
const envelopes = new WeakMap<ClientInfo, Meta>();

function envelopeOf(client: ClientInfo, version: string): Meta {
  const known = envelopes.get(client);
  if (known) return known;
  const envelope = {
    [MetaKey.protocolVersion]: version,
    [MetaKey.clientCapabilities]: encodeCapabilities(clientCapabilities(client, version)),
    [MetaKey.clientInfo]: client.info,
    ...(client.logLevel === undefined ? {} : { [MetaKey.logLevel]: client.logLevel }),
  };
  envelopes.set(client, envelope);
  return envelope;
}

/** A result, the questions that stand before it, or what an extension knows. No `resultType` means complete. */
export function decodeResult(method: string, result: unknown): Decoded {
  if (!isObject(result)) throw new ConnectionError('malformed', `The answer to ${method} has no "result" object`);
  const { resultType = 'complete' } = result;
  if (resultType === 'complete') return { type: 'complete', result };
  if (typeof resultType === 'string' && resultType !== 'input_required') return { type: 'other', resultType, result };
  if (resultType !== 'input_required') {
    throw new ConnectionError('malformed', `The answer to ${method} has a "resultType" this client does not know`);
  }
  if (!METHODS.get(method)?.mayRequireInput) {
    throw new ConnectionError('malformed', `The answer to ${method} asks for input, which that method must not`);
  }
  const { inputRequests = {}, requestState } = result;
  const asksNothing = isObject(inputRequests) && Object.keys(inputRequests).length === 0;
  if (asksNothing && requestState === undefined) {
    throw new ConnectionError('malformed', `The answer to ${method} wants input, but says neither which nor why`);
  }
  if (!isObject(inputRequests) || !Object.values(inputRequests).every(isInputRequest)) {
    throw new ConnectionError('malformed', `The answer to ${method} has malformed "inputRequests"`);
  }
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw new ConnectionError('malformed', `The answer to ${method} has a "requestState" that is not a string`);
  }
  return {
    type: 'input_required',
    requests: new Map(Object.entries(inputRequests) as [string, InputRequest][]),
    state: requestState,
  };
}

/** What a client can do. There are no sessions to be told of changes. */
export function encodeCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
  return capabilities.roots?.listChanged === undefined ? capabilities : { ...capabilities, roots: {} };
}

function isInputRequest(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['method'] === 'string' &&
    (value['params'] === undefined || isObject(value['params']))
  );
}
