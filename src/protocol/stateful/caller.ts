/** Who is calling: what the client said when it opened the session. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { isObject, type Params } from '../../jsonrpc/message.ts';
import type { Caller } from '../caller.ts';
import { isImplementation } from '../checks.ts';
import type { ClientCapabilities, ServerCapabilities } from '../model/capabilities.ts';
import type { Session } from '../session.ts';

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
