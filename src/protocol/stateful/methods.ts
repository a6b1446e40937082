/** Methods that only stateful revisions have: `initialize`, `ping`, `logging/setLevel` and resource subscriptions. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { levelParam, MAX_SUBSCRIBED_CHARACTERS, stringParam } from '../params.ts';
import type { Call, RevisionMethod, RevisionNotification, ServerInfo } from '../revision.ts';
import type { Session } from '../session.ts';
import { initialize } from './initialize.ts';

export const methods: ReadonlyMap<string, RevisionMethod> = new Map<string, RevisionMethod>([
  ['initialize', initialize],
  ['ping', () => ({})],
  ['logging/setLevel', setLevel],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
]);

export const notifications: ReadonlyMap<string, RevisionNotification> = new Map<string, RevisionNotification>([
  [
    'notifications/initialized',
    (_params, session) => {
      session.initialized = true;
    },
  ],
]);

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
