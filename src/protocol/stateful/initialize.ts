/** `initialize`: negotiates the revision and opens the session of a stateful client. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import { unsupportedVersion } from '../errors.ts';
import type { ClientCapabilities, ServerCapabilities } from '../model/capabilities.ts';
import { isImplementation, stringParam, without } from '../params.ts';
import type { Call, Caller, ServerInfo } from '../revision.ts';
import { REVISIONS, type RevisionFeatures } from '../revisions.ts';
import type { Session } from '../session.ts';
import { encodeImplementation } from './encode-lists.ts';

/** Opens a session in the requested revision if it is served, else in the newest stateful revision that is served. */
export function initialize(call: Call, server: ServerInfo): object {
  const { exchange } = call;
  const requested = stringParam(call.params, 'protocolVersion');
  const features = negotiate(requested, server.versions);
  if (!features) throw unsupportedVersion(requested, server.versions);
  const capabilities = encodeCapabilities(server.declaredIn(features.version, exchange.principal), features);
  const session = sessionOf(call.params, features.version, capabilities);
  for (const uri of exchange.session?.subscriptions ?? []) exchange.growSession(-retainedSize([uri]));
  exchange.openSession(session);
  return {
    protocolVersion: features.version,
    capabilities,
    serverInfo: encodeImplementation(server.info, features),
    ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
  };
}

function negotiate(requested: string, served: readonly string[]): RevisionFeatures | undefined {
  const candidates = REVISIONS.filter(
    (features) => features.family === 'stateful' && served.includes(features.version),
  );
  return candidates.find((features) => features.version === requested) ?? candidates[0];
}

function encodeCapabilities(capabilities: ServerCapabilities, features: RevisionFeatures): ServerCapabilities {
  return features.completionsCapability ? capabilities : without(capabilities, 'completions');
}

// All new sessions share this empty array of subscriptions, to save memory.
const NONE: readonly string[] = [];

export function callerOf(session: Session | undefined): Caller {
  return { info: session?.clientInfo, capabilities: session?.capabilities ?? {}, logLevel: session?.logLevel };
}

/** Creates the session for the params of `initialize`. Throws -32602 if the params are malformed. */
export function sessionOf(params: Params, version: string, declared: ServerCapabilities): Session {
  const { capabilities, clientInfo } = params;
  if (!isObject(capabilities)) throw RpcError.invalidParams('initialize: "capabilities" must be an object');
  if (!isImplementation(clientInfo)) {
    throw RpcError.invalidParams('initialize: "clientInfo" must be an object with the strings "name" and "version"');
  }
  return {
    // `split` and `join` save memory: V8 keeps the result of `randomUUID()` as a tree of twenty strings.
    id: crypto.randomUUID().split('-').join('-'),
    version,
    clientInfo,
    capabilities: capabilities as ClientCapabilities,
    declared,
    initialized: false,
    // Until the client sends `logging/setLevel`, the server chooses the level: the client gets all messages except `debug`.
    logLevel: 'info',
    subscriptions: NONE,
  };
}
