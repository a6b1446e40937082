/** `Session`: the state that a stateful revision keeps between the messages of one client. */

import type { ClientCapabilities, ServerCapabilities } from './model/capabilities.ts';
import type { Implementation } from './model/implementation.ts';
import type { LoggingLevel } from './model/logging.ts';

/** The session of one client. It contains only JSON values, so that a store can keep it. */
export interface Session {
  /** Public identifier of the session, the same on every node; `Mcp-Session-Id` is secret. Absent over HTTP without sessions. */
  readonly id?: string;
  readonly version: string;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Capabilities that the server declared. Notifications of other features are not sent. */
  readonly declared: ServerCapabilities;
  /** True after the client has sent `notifications/initialized`. */
  initialized: boolean;
  /** Minimum level of the log messages that the client gets; undefined for none. */
  logLevel: LoggingLevel | undefined;
  /** URIs that the client has subscribed to with `resources/subscribe`. */
  subscriptions: readonly string[];
}
