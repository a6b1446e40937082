/** Limits of received messages: nesting, elements, batches, ids, and consecutive unreadable messages. */

import { NameCount } from './name-count.ts';

/** Limits on the structure of received messages. Messages of up to 4 KiB are checked only if a limit is below its default. */
export interface JsonLimits {
  /** Maximum nesting of objects and arrays. The message itself is the first level. */
  readonly depth: number;
  /** Maximum number of array elements and object members in the message, counted as its commas and opening brackets. */
  readonly elements: number;
}

/** Limits on the structure of received messages that apply unless an option sets others. */
export const JSON_LIMITS: JsonLimits = { depth: 64, elements: 100_000 };

export const MAX_BATCH = 100;

/** Maximum length of a received id, in characters. */
export const MAX_ID_LENGTH = 1024;

/**
 * Maximum number of consecutive unreadable messages. At the maximum, a server disconnects the client, and a client skips lines
 * shorter than `SHORTEST_MESSAGE`, because the server process can print other text to stdout.
 */
export const MAX_UNREADABLE = 1000;

/** Length of the shortest valid message, `{"jsonrpc":"2.0","method":""}`, in characters. */
export const SHORTEST_MESSAGE = 29;

/**
 * Limits on messages that a client receives. They bound the estimated parse time (`structureBytes`) instead of the number of
 * elements, because a large result can have more elements than `JSON_LIMITS` allows.
 */
export interface ReceivedLimits extends JsonLimits {
  /** Maximum weight of a message's elements, in bytes. `jsonLimitFault` weighs elements by parse time. Default: no limit. */
  readonly structureBytes?: number | undefined;
  /** Name of the option that sets `structureBytes`, for error messages. */
  readonly option?: string | undefined;
  /** Creates the counter of distinct member names, each of which adds to the weight of a message. Default: not counted. */
  readonly countNames?: (() => NameCount) | undefined;
}

/** Returns the limits of a client for messages of up to `messageBytes`. `structureBytes` is the same, but at least 1 MiB. */
export function receivedLimits(messageBytes: number, option: string): ReceivedLimits {
  const structureBytes = Math.max(messageBytes, MIN_STRUCTURE_BYTES);
  const countNames = (): NameCount => new NameCount();
  return { depth: JSON_LIMITS.depth, elements: Number.POSITIVE_INFINITY, structureBytes, option, countNames };
}

// Minimum of `structureBytes`. With a limit of 1 KiB, the elements of a short message would already weigh too much.
const MIN_STRUCTURE_BYTES = 1024 * 1024;
