/** How much of what a server sends a client keeps. */

const MEBIBYTE = 1024 * 1024;

interface ClientLimits {
  /** Pages of one list. Option: `maxPages`. */
  readonly pages: number;
  /** Items of one list, all pages together. Option: `maxItems`. */
  readonly items: number;
  /** Bytes of one list, all pages together. Option: `maxBytes`. */
  readonly listBytes: number;
  /** Bytes of one tool's definition: a larger one is left out. */
  readonly definitionBytes: number;
  /** Tools whose definitions are remembered, pinned ones aside. */
  readonly tools: number;
  /** Bytes of all that is remembered: definitions of tools and cached results together. */
  readonly rememberedBytes: number;
  /** Cached results. */
  readonly cachedResults: number;
}

/** The defaults. Bytes are those of `retainedSize`: about what a value takes in memory. */
export const CLIENT_LIMITS: ClientLimits = {
  pages: 1000,
  items: 100_000,
  listBytes: 64 * MEBIBYTE,
  definitionBytes: MEBIBYTE,
  tools: 10_000,
  rememberedBytes: 64 * MEBIBYTE,
  cachedResults: 500,
};
