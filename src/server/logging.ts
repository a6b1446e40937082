/** `ctx.log`: log messages that belong to one request. */

import type { Exchange } from '../protocol/exchange.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import { isAtLeast, LOGGING_LEVELS, type LoggingLevel } from '../protocol/model/logging.ts';

/** Logging by level. Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. Use stderr. */
export interface Log extends Readonly<Record<LoggingLevel, (data: unknown, logger?: string) => void>> {
  /** Sends a log message if the client's log level includes it. `data` is any JSON value; `logger` names the component. */
  send(level: LoggingLevel, data: unknown, logger?: string): void;
}

/** Returns the `Log` of a request. `minimum` is the client's log level. If it is undefined, no log messages are sent. */
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
