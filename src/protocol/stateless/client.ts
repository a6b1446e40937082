/** The client side of stateless revisions: adds `_meta` to requests, and decodes results depending on `resultType`. */

import { ConnectionError } from '../../jsonrpc/errors.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import { clientCapabilities } from '../capabilities.ts';
import { METHODS } from '../methods.ts';
import type { ClientCapabilities } from '../model/capabilities.ts';
import type { InputRequest } from '../model/input-requests.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import type { ClientInfo, ClientRevision, Decoded } from '../revision.ts';
import type { RevisionFeatures } from '../revisions.ts';

export function statelessClientRevision(features: RevisionFeatures): ClientRevision {
  return {
    features,
    encodeCapabilities,
    encodeInputResponse: (_method, response) => response,
    encodeRequest: (params, client, meta) => encodeRequest(params, client, features.version, meta),
    decodeResult,
  };
}

export function encodeRequest(params: Params | undefined, client: ClientInfo, version: string, meta?: Meta): Params {
  const given = params?.['_meta'];
  // `Object.assign` is many times faster in V8 than an object literal with spread and further members.
  const whole = Object.assign({}, isObject(given) ? given : undefined, meta, envelopeOf(client, version));
  return Object.assign({}, params, { _meta: whole });
}

// Cached `_meta` members of each client's requests. They stay valid, because `ClientInfo` objects are never modified.
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

export function decodeResult(method: string, result: unknown): Decoded {
  if (!isObject(result)) throw malformed(method, 'has no "result" object');
  const { resultType = 'complete' } = result;
  if (resultType === 'complete') return { type: 'complete', result };
  if (typeof resultType !== 'string') throw malformed(method, 'has a "resultType" this client does not know');
  if (resultType !== 'input_required') return { type: 'other', resultType, result };
  if (!METHODS.get(method)?.mayRequireInput)
    throw malformed(method, 'requires input, which is not allowed for that method');
  const { inputRequests = {}, requestState } = result;
  if (!isObject(inputRequests) || !Object.values(inputRequests).every(isInputRequest)) {
    throw malformed(method, 'has malformed "inputRequests"');
  }
  if (requestState === undefined && Object.keys(inputRequests).length === 0) {
    throw malformed(method, 'requires input, but has neither "inputRequests" nor "requestState"');
  }
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw malformed(method, 'has a "requestState" that is not a string');
  }
  const requests = new Map(Object.entries(inputRequests) as [string, InputRequest][]);
  return { type: 'input_required', requests, state: requestState };
}

/** Removes `roots.listChanged`, because clients of stateless revisions cannot send `notifications/roots/list_changed`. */
export function encodeCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
  return capabilities.roots?.listChanged === undefined ? capabilities : { ...capabilities, roots: {} };
}

function malformed(method: string, fault: string): ConnectionError {
  return new ConnectionError('malformed', `The response to ${method} ${fault}`);
}

function isInputRequest(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['method'] === 'string' &&
    (value['params'] === undefined || isObject(value['params']))
  );
}
