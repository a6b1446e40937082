/** `ctx.log`: log messages that belong to one request. */

import type { Exchange } from '../protocol/exchange.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import { isAtLeast, LOGGING_LEVELS, type LoggingLevel } from '../protocol/model/logging.ts';

/**
 * Sends log messages to the client of the request, if its log level includes them. There is one function per level.
 * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. Log to stderr, or use OpenTelemetry.
 */
export interface Log extends Readonly<Record<LoggingLevel, (data: unknown, logger?: string) => void>> {
  /** Sends one message. `data` is any JSON value; `logger` names its source. */
  send(level: LoggingLevel, data: unknown, logger?: string): void;
}

/** Makes the `Log` of a request. `minimum` is the log level of the client; undefined sends nothing. */
export function logSender(
  minimum: LoggingLevel | undefined,
  capabilities: ServerCapabilities,
  exchange: Exchange,
): Log {
  const send: Log['send'] = (level, data, logger) => {
    if (!capabilities.logging || minimum === undefined || !isAtLeast(level, minimum)) return;
    const message = { level, data: data === undefined ? null : data };
    exchange.notify('notifications/message', logger === undefined ? message : { ...message, logger });
  };
  const levels = LOGGING_LEVELS.map((level) => [level, send.bind(undefined, level)] as const);
  return { send, ...(Object.fromEntries(levels) as Omit<Log, 'send'>) };
}
