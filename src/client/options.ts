/** What can be chosen for a connection. */

import type { Notification } from '../jsonrpc/message.ts';
import type { TimeoutOptions } from '../jsonrpc/request-timeouts.ts';
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

/** Options of a connection; none is needed. */
export interface ConnectionOptions extends AnswerHandlers, TimeoutOptions, ToolPinningOptions {
  /**
   * The protocol revision to speak. `auto` finds out what the server speaks, at the cost of one round trip if that is
   * an older one; `legacy` opens with `initialize` and does not ask first; a name speaks that revision and no other.
   * Default: `auto`.
   */
  readonly revision?: 'auto' | 'legacy' | ProtocolVersion;
  /** The profile of the server from an earlier connection (`connection.profile`). It saves the round trip of the handshake. */
  readonly profile?: ServerProfile;
  /** What this client says of itself. */
  readonly info?: Implementation;
  /** What is declared to servers, if not what follows from the handlers. */
  readonly capabilities?: ClientCapabilities;
  /** What this client knows beside the protocol. Each is declared to servers, in the revisions that have it. */
  readonly extensions?: readonly ClientExtension[];
  /**
   * The least severe log message wanted.
   * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on.
   */
  readonly logLevel?: LoggingLevel;
  /**
   * Gets the log messages of the server.
   * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on.
   */
  readonly onLog?: (message: LogMessage) => void;
  /** Gets every notification that belongs to no call of ours. */
  readonly onNotification?: (notification: Notification) => void;
  /** Gets what goes wrong without a call to tell it to. */
  readonly onError?: (error: Error) => void;
  /** Is told of every change of `connection.state`. */
  readonly onStateChange?: (state: ConnectionState) => void;
  /** A server over HTTP forgot the session and has a new one now: what was only in the old one is gone. */
  readonly onSessionReplaced?: () => void;
  /**
   * Starts a server that crashed again. Calls that can be repeated without harm and were lost with it are sent to the new
   * one; those that it failed with -32603 wait up to a second for its end. Default: false.
   */
  readonly restart?: boolean | RestartOptions;
  /** Keeps answers for as long as the server says they are good. Default: true. */
  readonly cache?: boolean;
  /** How many pages a list may have. Default: 1,000. */
  readonly maxPages?: number;
  /** How many items a list may have. Default: 100,000. */
  readonly maxItems?: number;
  /** How many bytes all items of a list may take in memory, about. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** How many times a server may ask back before it answers one call. Default: 10. */
  readonly maxRoundTrips?: number;
  /** Milliseconds until the server must be ready. Default: 2 minutes, for programs that are installed as they start. */
  readonly connectTimeout?: number;
  /**
   * Milliseconds after which a program that does not answer `server/discover` is greeted in the old way. Default: 10 s.
   * Over HTTP there is always an answer to wait for.
   */
  readonly probeTimeout?: number;
  /** Gives up connecting. */
  readonly signal?: AbortSignal;
}

/** Who we are if nobody says otherwise. */
export const DEFAULT_INFO: Implementation = { name: 'mcpp', version: '0.1.0' };
