/** Log messages that belong to one request. */

import type { Exchange } from '../protocol/exchange.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import { isAtLeast, type LoggingLevel } from '../protocol/model/logging.ts';

/**
 * Sends log messages to the client that sent the request, if it wants messages of that level.
 * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. Log to stderr, or use OpenTelemetry.
 */
export class Log {
  readonly #minimum: LoggingLevel | undefined;
  readonly #exchange: Exchange;

  constructor(minimum: LoggingLevel | undefined, capabilities: ServerCapabilities, exchange: Exchange) {
    this.#minimum = capabilities.logging ? minimum : undefined;
    this.#exchange = exchange;
  }

  /** Sends one message. `data` is any JSON value; `logger` names its source. */
  send(level: LoggingLevel, data: unknown, logger?: string): void {
    if (this.#minimum === undefined || !isAtLeast(level, this.#minimum)) return;
    const entry = { level, data: data === undefined ? null : data };
    this.#exchange.notify('notifications/message', logger === undefined ? entry : { ...entry, logger });
  }

  debug(data: unknown, logger?: string): void {
    this.send('debug', data, logger);
  }

  info(data: unknown, logger?: string): void {
    this.send('info', data, logger);
  }

  notice(data: unknown, logger?: string): void {
    this.send('notice', data, logger);
  }

  warning(data: unknown, logger?: string): void {
    this.send('warning', data, logger);
  }

  error(data: unknown, logger?: string): void {
    this.send('error', data, logger);
  }

  critical(data: unknown, logger?: string): void {
    this.send('critical', data, logger);
  }

  alert(data: unknown, logger?: string): void {
    this.send('alert', data, logger);
  }

  emergency(data: unknown, logger?: string): void {
    this.send('emergency', data, logger);
  }
}
