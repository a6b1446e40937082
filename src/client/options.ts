/** Options of a connection. */

import type { Notification } from '../jsonrpc/message.ts';
import type { TimeoutOptions } from '../jsonrpc/timeout-options.ts';
import type { ClientCapabilities } from '../protocol/model/capabilities.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import type { LoggingLevel, LogMessage } from '../protocol/model/logging.ts';
import type { ProtocolVersion } from '../protocol/revisions.ts';
import type { AnswerHandlers } from './answering.ts';
import type { ClientExtension } from './extension.ts';
import type { ServerProfile } from './server-profile.ts';
import type { ConnectionState } from './state.ts';
import type { RestartOptions } from './supervision.ts';
import type { ToolPinningOptions } from './tool-book.ts';

/** Options of a connection, all optional. */
export interface ConnectionOptions extends AnswerHandlers, TimeoutOptions, ToolPinningOptions {
  /**
   * Protocol revision to use. `auto` negotiates it, with one more round trip if the server is stateful. `legacy` sends
   * `initialize` without `server/discover`. A version such as `2025-11-25` allows only that revision. Default: `auto`.
   */
  readonly revision?: 'auto' | 'legacy' | ProtocolVersion;
  /** Profile of the server from an earlier connection (`connection.profile`). Saves a round trip of the handshake. */
  readonly profile?: ServerProfile;
  /** Name and version of this client, which are sent to servers. Default: those of this package. */
  readonly info?: Implementation;
  /** Capabilities to declare to servers. Default: those that follow from the handlers. */
  readonly capabilities?: ClientCapabilities;
  /** Extensions to use. Each is declared to servers, in the revisions that the extension supports. */
  readonly extensions?: readonly ClientExtension[];
  /** Minimum level of log messages. Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. */
  readonly logLevel?: LoggingLevel;
  /** Called with each log message. Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. */
  readonly onLog?: (message: LogMessage) => void;
  /** Called with each notification from the server, except progress, cancellations and notifications of `Connection.listen`. */
  readonly onNotification?: (notification: Notification) => void;
  /** Called with errors that belong to no call. */
  readonly onError?: (error: Error) => void;
  /** Called with the new state on each change of `connection.state`. */
  readonly onStateChange?: (state: ConnectionState) => void;
  /** Called when a server over HTTP has lost the session and a new session is open. State of the old session is gone. */
  readonly onSessionReplaced?: () => void;
  /**
   * Restarts a server process that exits. Lost calls are sent again if they are idempotent. If such a call failed with -32603,
   * the client waits up to one second for the exit. Default: false.
   */
  readonly restart?: boolean | RestartOptions;
  /** Caches results for the lifetime that the server allows. Default: true. */
  readonly cache?: boolean;
  /** Maximum number of pages of a list. Default: 1000. */
  readonly maxPages?: number;
  /** Maximum number of items of a list. Default: 100 000. */
  readonly maxItems?: number;
  /** Maximum estimated size of all items of a list, in bytes. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Maximum number of times that a server can request input during one call. Default: 10. */
  readonly maxRoundTrips?: number;
  /** Milliseconds until the handshake must be complete. Default: 120 000, for servers that are installed when they start. */
  readonly connectTimeout?: number;
  /** Milliseconds to wait for a response to `server/discover` before sending `initialize`. Unused for HTTP. Default: 10 000. */
  readonly probeTimeout?: number;
  /** Aborts connecting. No effect once connected. */
  readonly signal?: AbortSignal;
}

export const DEFAULT_INFO: Implementation = { name: 'mcpp', version: '0.1.0' };
