/** Limits of received messages: nesting, number of elements, batches, ids, and unreadable messages in a row. */

/**
 * Limits of the structure of a message. Messages of up to 4 KiB are checked only if a limit is below its default, since they are
 * too short to do harm.
 */
export interface JsonLimits {
  /** Maximum nesting of objects and arrays. The message itself is the first level. */
  readonly depth: number;
  /** Maximum number of array elements and object members in the whole message, counted as its commas and opening brackets. */
  readonly elements: number;
}

/** Default limits of the structure of a message. */
export const JSON_LIMITS: JsonLimits = { depth: 64, elements: 100_000 };

/** Maximum number of messages in one received batch. */
export const MAX_BATCH = 100;

/** Maximum length of a received request id, in characters. */
export const MAX_ID_LENGTH = 1024;

/**
 * Maximum number of unreadable messages in a row. A server disconnects a client that reaches it. A client that reaches it skips
 * lines shorter than `SHORTEST_MESSAGE`, since the server process may print other text to stdout.
 */
export const MAX_UNREADABLE = 1000;

/** Length of the shortest valid message, `{"jsonrpc":"2.0","method":""}`, in characters. */
export const SHORTEST_MESSAGE = 29;

/** Limits of messages that a client receives. `structureBytes` replaces the limit on elements, so that large results fit. */
export interface ReceivedLimits extends JsonLimits {
  /** Maximum of the bytes that all elements of a message count for, as `json-scan.ts` weighs them. Default: no limit. */
  readonly structureBytes?: number | undefined;
  /** Name of the option that sets `structureBytes`, for the error message. */
  readonly option?: string | undefined;
}

/** Returns limits in which the structure of a message may count for as many bytes as its text may have, but at least 1 MiB. */
export function receivedLimits(messageBytes: number, option: string): ReceivedLimits {
  const structureBytes = Math.max(messageBytes, MIN_STRUCTURE_BYTES);
  return { depth: JSON_LIMITS.depth, elements: Number.POSITIVE_INFINITY, structureBytes, option };
}

// A low limit on the text, such as 1 KiB, would otherwise refuse short messages for the bytes that their elements count for.
const MIN_STRUCTURE_BYTES = 1024 * 1024;
