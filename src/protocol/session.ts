/** `Session`: the state of a stateful revision between messages. */

import type { ClientCapabilities, ServerCapabilities } from './model/capabilities.ts';
import type { Implementation } from './model/implementation.ts';
import type { LoggingLevel } from './model/logging.ts';

/** One client's session. It is plain JSON, so that a store can keep it. */
export interface Session {
  /** Public identifier of the session, the same on every node; not the secret `Mcp-Session-Id`. Absent in sessionless HTTP. */
  readonly id?: string;
  readonly version: string;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Capabilities that the server declared: other notifications are not sent. */
  readonly declared: ServerCapabilities;
  /** True after `notifications/initialized`. */
  initialized: boolean;
  /** Minimum level of the log messages that are sent. */
  logLevel: LoggingLevel | undefined;
  /** URIs of `resources/subscribe`. */
  subscriptions: readonly string[];
}
