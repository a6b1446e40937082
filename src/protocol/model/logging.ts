/** Log messages from a server to its client. */

/** From least to most severe. */
export const LOGGING_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/**
 * How severe a log message is.
 * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on.
 */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

/** True for one of the eight levels. */
export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return (LOGGING_LEVELS as readonly unknown[]).includes(value);
}

/** True if a message of `level` is to be sent to someone who asked for `minimum`. */
export function isAtLeast(level: LoggingLevel, minimum: LoggingLevel): boolean {
  return LOGGING_LEVELS.indexOf(level) >= LOGGING_LEVELS.indexOf(minimum);
}

/**
 * A log message, as `notifications/message` carries it.
 * Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on.
 */
export interface LogMessage {
  readonly level: LoggingLevel;
  /** Which part of the server speaks. */
  readonly logger?: string;
  /** Anything JSON can say. */
  readonly data: unknown;
}
