/** Methods that only stateful revisions have: `initialize`, `ping`, `logging/setLevel` and resource subscriptions. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import { unsupportedVersion } from '../errors.ts';
import type { ClientCapabilities, ServerCapabilities } from '../model/capabilities.ts';
import { isImplementation, levelParam, MAX_SUBSCRIBED_CHARACTERS, stringParam, without } from '../params.ts';
import type { Call, Caller, RevisionMethod, RevisionNotification, ServerInfo } from '../revision.ts';
import { REVISIONS, type RevisionFeatures } from '../revisions.ts';
import type { Session } from '../session.ts';
import { encodeImplementation } from './encode-lists.ts';

/** Handlers of the requests that only stateful revisions have, by method. */
export const methods: ReadonlyMap<string, RevisionMethod> = new Map<string, RevisionMethod>([
  ['initialize', initialize],
  ['ping', () => ({})],
  ['logging/setLevel', setLevel],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
]);

/** Handlers of the notifications that only stateful revisions have, by method. */
export const notifications: ReadonlyMap<string, RevisionNotification> = new Map<string, RevisionNotification>([
  [
    'notifications/initialized',
    (_params, session) => {
      session.initialized = true;
    },
  ],
]);

/** Opens a session in the requested revision, otherwise in the newest stateful one. It replaces a session of the connection. */
function initialize(call: Call, server: ServerInfo): object {
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

function setLevel({ params, exchange }: Call, server: ServerInfo): object {
  if (!server.capabilities.logging) throw RpcError.methodNotFound('logging/setLevel');
  requireSession(exchange.session).logLevel = levelParam(params['level'], 'level');
  return {};
}

function subscribe({ params, exchange }: Call, server: ServerInfo): object {
  const uri = subscriptionUri('resources/subscribe', params, server);
  const session = requireSession(exchange.session);
  const { subscriptions } = session;
  if (subscriptions.includes(uri)) return {};
  const characters = subscriptions.reduce((sum, one) => sum + one.length, uri.length);
  if (characters > MAX_SUBSCRIBED_CHARACTERS) {
    const message = `Too many subscriptions: the URIs of a session may have ${MAX_SUBSCRIBED_CHARACTERS} characters in all`;
    throw RpcError.invalidParams(message);
  }
  if (!exchange.growSession(retainedSize([uri]))) {
    throw RpcError.internal('Server memory limit reached (limits.keptBytes): retry later');
  }
  session.subscriptions = [...subscriptions, uri];
  return {};
}

function unsubscribe({ params, exchange }: Call, server: ServerInfo): object {
  const uri = subscriptionUri('resources/unsubscribe', params, server);
  const session = requireSession(exchange.session);
  if (!session.subscriptions.includes(uri)) return {};
  session.subscriptions = session.subscriptions.filter((one) => one !== uri);
  exchange.growSession(-retainedSize([uri]));
  return {};
}

function subscriptionUri(method: string, params: Params, server: ServerInfo): string {
  if (!server.capabilities.resources?.subscribe) throw RpcError.methodNotFound(method);
  return stringParam(params, 'uri');
}

function requireSession(session: Session | undefined): Session {
  if (!session) throw RpcError.invalidRequest('There is no session: send initialize first');
  return session;
}

// Subscriptions of a new session: one empty array for all sessions, to save memory.
const NONE: readonly string[] = [];

/** Returns the client of a session. Without a session it has no capabilities. */
export function callerOf(session: Session | undefined): Caller {
  return { info: session?.clientInfo, capabilities: session?.capabilities ?? {}, logLevel: session?.logLevel };
}

/** Makes the session for an `initialize` request, in the negotiated revision. Throws -32602 if the params are malformed. */
export function sessionOf(params: Params, version: string, declared: ServerCapabilities): Session {
  const { capabilities, clientInfo } = params;
  if (!isObject(capabilities)) throw RpcError.invalidParams('initialize: "capabilities" must be an object');
  if (!isImplementation(clientInfo)) {
    throw RpcError.invalidParams('initialize: "clientInfo" must be an object with the strings "name" and "version"');
  }
  return {
    // The id is split and joined to save memory: V8 keeps the string of `randomUUID()` as a tree of twenty pieces.
    id: crypto.randomUUID().split('-').join('-'),
    version,
    clientInfo,
    capabilities: capabilities as ClientCapabilities,
    declared,
    initialized: false,
    // Before `logging/setLevel` the server chooses the level. The client gets all messages except `debug`.
    logLevel: 'info',
    subscriptions: NONE,
  };
}
