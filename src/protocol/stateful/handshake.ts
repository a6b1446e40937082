/** The methods only stateful revisions have: `initialize`, `ping`, and the state of the session. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import { unsupportedVersion } from '../errors.ts';
import type { ClientCapabilities, ServerCapabilities } from '../model/capabilities.ts';
import { isImplementation, levelParam, MAX_SUBSCRIBED_CHARACTERS, stringParam } from '../params.ts';
import type { Call, Caller, RevisionMethod, RevisionNotification, ServerInfo } from '../revision.ts';
import { REVISIONS, type RevisionFeatures } from '../revisions.ts';
import type { Session } from '../session.ts';
import { encodeImplementation } from './encode-lists.ts';

/** The requests of every stateful revision. */
export const methods: ReadonlyMap<string, RevisionMethod> = new Map<string, RevisionMethod>([
  ['initialize', initialize],
  ['ping', () => ({})],
  ['logging/setLevel', setLevel],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
]);

/** The notifications of every stateful revision. */
export const notifications: ReadonlyMap<string, RevisionNotification> = new Map<string, RevisionNotification>([
  [
    'notifications/initialized',
    (_params, session) => {
      session.initialized = true;
    },
  ],
]);

/**
 * Opens a session: the client names a revision, the server answers with it or with the newest it has. Where the connection has
 * a session already, the new one takes its place.
 */
function initialize(call: Call, host: ServerInfo): object {
  const { exchange } = call;
  const requested = stringParam(call.params, 'protocolVersion');
  const facts = agreeOn(requested, host.versions);
  if (!facts) throw unsupportedVersion(requested, host.versions);
  const capabilities = encodeCapabilities(host.declaredIn(facts.version, exchange.principal), facts);
  const session = sessionOf(call.params, facts.version, capabilities);
  for (const uri of exchange.session?.subscriptions ?? []) exchange.growSession(-subscriptionBytes(uri));
  exchange.openSession(session);
  return {
    protocolVersion: facts.version,
    capabilities,
    serverInfo: encodeImplementation(host.info, facts),
    ...(host.instructions === undefined ? {} : { instructions: host.instructions }),
  };
}

function agreeOn(requested: string, served: readonly string[]): RevisionFeatures | undefined {
  const candidates = REVISIONS.filter((facts) => facts.family === 'stateful' && served.includes(facts.version));
  return candidates.find((facts) => facts.version === requested) ?? candidates[0];
}

function encodeCapabilities(capabilities: ServerCapabilities, facts: RevisionFeatures): ServerCapabilities {
  if (facts.completionsCapability) return capabilities;
  const { completions: _, ...known } = capabilities;
  return known;
}

function setLevel({ params, exchange }: Call, host: ServerInfo): object {
  if (!host.capabilities.logging) throw RpcError.methodNotFound('logging/setLevel');
  sessionIn(exchange.session).logLevel = levelParam(params['level'], 'level');
  return {};
}

function subscribe({ params, exchange }: Call, host: ServerInfo): object {
  const uri = subscriptionUri('resources/subscribe', params, host);
  const session = sessionIn(exchange.session);
  const { subscriptions } = session;
  if (subscriptions.includes(uri)) return {};
  const characters = subscriptions.reduce((sum, one) => sum + one.length, uri.length);
  if (characters > MAX_SUBSCRIBED_CHARACTERS) {
    const message = `Too many subscriptions: the URIs of a session may have ${MAX_SUBSCRIBED_CHARACTERS} characters in all`;
    throw RpcError.invalidParams(message);
  }
  if (!exchange.growSession(subscriptionBytes(uri))) {
    throw RpcError.internal('Server memory limit reached (limits.keptBytes): retry later');
  }
  session.subscriptions = [...subscriptions, uri];
  return {};
}

function unsubscribe({ params, exchange }: Call, host: ServerInfo): object {
  const uri = subscriptionUri('resources/unsubscribe', params, host);
  const session = sessionIn(exchange.session);
  if (!session.subscriptions.includes(uri)) return {};
  session.subscriptions = session.subscriptions.filter((one) => one !== uri);
  exchange.growSession(-subscriptionBytes(uri));
  return {};
}

function subscriptionBytes(uri: string): number {
  return retainedSize([uri]);
}

function subscriptionUri(method: string, params: Params, host: ServerInfo): string {
  if (!host.capabilities.resources?.subscribe) throw RpcError.methodNotFound(method);
  return stringParam(params, 'uri');
}

function sessionIn(session: Session | undefined): Session {
  if (!session) throw RpcError.invalidRequest('There is no session: send initialize first');
  return session;
}

const NONE: readonly string[] = [];

/** The session's client. Before there is a session, nobody in particular. */
export function callerOf(session: Session | undefined): Caller {
  return { info: session?.clientInfo, capabilities: session?.capabilities ?? {}, logLevel: session?.logLevel };
}

/** The session `initialize` asks for, in the revision that was agreed on. */
export function sessionOf(params: Params, version: string, declared: ServerCapabilities): Session {
  const { capabilities, clientInfo } = params;
  if (!isObject(capabilities)) throw RpcError.invalidParams('initialize: "capabilities" must be an object');
  if (!isImplementation(clientInfo)) {
    throw RpcError.invalidParams('initialize: "clientInfo" must be an object with the strings "name" and "version"');
  }
  return {
    // Joined anew: the text that randomUUID() gives is kept as a tree of its twenty pieces.
    id: crypto.randomUUID().split('-').join('-'),
    version,
    clientInfo,
    capabilities: capabilities as ClientCapabilities,
    declared,
    initialized: false,
    // Until the client sets a level the server may choose: what matters to people, not what matters to developers.
    logLevel: 'info',
    subscriptions: NONE,
  };
}
