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

/** The defaults. Bytes are those of `sizeOf`. */
export const CLIENT_LIMITS: ClientLimits = {
  pages: 1000,
  items: 100_000,
  listBytes: 64 * MEBIBYTE,
  definitionBytes: MEBIBYTE,
  tools: 10_000,
  rememberedBytes: 64 * MEBIBYTE,
  cachedResults: 500,
};

// More than a transport with limits lets in, and less than the stack holds.
const MAX_DEPTH = 500;

/** About how many bytes a JSON value has as text and structure; `Infinity` if it is nested more than 500 levels deep. */
export function sizeOf(value: unknown, levels: number = MAX_DEPTH): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (levels === 0) return Number.POSITIVE_INFINITY;
  let size = 32;
  if (Array.isArray(value)) for (const one of value) size += 8 + sizeOf(one, levels - 1);
  else for (const name of Object.keys(value)) size += 16 + name.length + sizeOf((value as never)[name], levels - 1);
  return size;
}
