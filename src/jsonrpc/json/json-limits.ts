/** Limits of received messages. */

/**
 * Limits of the structure of a message. Messages of less than 4 KiB are checked only against limits below the defaults: they are
 * too short to do harm.
 */
export interface JsonLimits {
  /** Levels of objects and arrays inside each other, the message included. */
  readonly depth: number;
  /** Array elements and object members of the whole message, counted as its commas and opening brackets. */
  readonly elements: number;
}

/** Default limits. */
export const JSON_LIMITS: JsonLimits = { depth: 64, elements: 100_000 };

/** Maximum number of messages in one batch. */
export const MAX_BATCH = 100;

/** Maximum length of a request id, in characters. */
export const MAX_ID_LENGTH = 1024;

/**
 * Maximum of unreadable messages in a row. A server disconnects a client that reaches it. A client then skips lines that are too
 * short for a message, since a server's process may print other text to stdout.
 */
export const MAX_UNREADABLE = 1000;

/** The length of the shortest message, `{"jsonrpc":"2.0","method":""}`. */
export const SHORTEST_MESSAGE = 29;

/** Limits of the messages that a client receives: the structure is limited in bytes, as the text is. */
export interface ReceivedLimits extends JsonLimits {
  /** Maximum of the estimated bytes of all elements of a message. */
  readonly structureBytes?: number | undefined;
  /** The option that sets the limit, for the error message. */
  readonly option?: string | undefined;
}

/** Returns limits for messages of at most `messageBytes`: their structure may count for as many bytes, at least for 1 MiB. */
export function receivedLimits(messageBytes: number, option: string): ReceivedLimits {
  const structureBytes = Math.max(messageBytes, MIN_STRUCTURE_BYTES);
  return { depth: JSON_LIMITS.depth, elements: Number.POSITIVE_INFINITY, structureBytes, option };
}

const MIN_STRUCTURE_BYTES = 1024 * 1024;
