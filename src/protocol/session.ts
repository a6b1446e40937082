/** What a stateful revision remembers of its client between messages. */

import type { ClientCapabilities, ServerCapabilities } from './model/capabilities.ts';
import type { Implementation } from './model/implementation.ts';
import type { LoggingLevel } from './model/logging.ts';

/** One client's session: JSON, so that it can be kept anywhere. */
export interface Session {
  /** A key for state of one's own, the same on every node; never the secret `Mcp-Session-Id`. Absent where requests stand alone. */
  readonly id?: string;
  readonly version: string;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** What the server declared to this client: it is told nothing else. */
  readonly declared: ServerCapabilities;
  /** The client has said `notifications/initialized`. */
  initialized: boolean;
  logLevel: LoggingLevel | undefined;
  /** URIs the client subscribed to. */
  subscriptions: readonly string[];
}
