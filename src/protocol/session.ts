/** `Session`: the state that a stateful revision keeps between the messages of one client. */

import type { ClientCapabilities, ServerCapabilities } from './model/capabilities.ts';
import type { Implementation } from './model/implementation.ts';
import type { LoggingLevel } from './model/logging.ts';

/** The session of one client. A session contains only JSON values, so that a store can keep it. */
export interface Session {
  /** Non-secret identifier, unlike `Mcp-Session-Id`; the same on every node. Undefined over HTTP without sessions. */
  readonly id?: string;
  readonly version: string;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Capabilities that the server declared in `initialize`. Notifications that require other capabilities are not sent. */
  readonly declared: ServerCapabilities;
  initialized: boolean;
  /** Minimum level of log messages to the client. Undefined: the client gets no log messages. */
  logLevel: LoggingLevel | undefined;
  subscriptions: readonly string[];
}
