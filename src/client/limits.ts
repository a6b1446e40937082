/** Limits on data from a server that a client keeps in memory. */

const MEBIBYTE = 1024 * 1024;

interface ClientLimits {
  /** Maximum number of pages of one list. Option: `maxPages`. */
  readonly pages: number;
  /** Maximum number of items of one list, all pages together. Option: `maxItems`. */
  readonly items: number;
  /** Maximum size of one list in bytes, all pages together. Option: `maxBytes`. */
  readonly listBytes: number;
  /** Maximum size of a tool definition in bytes. Larger definitions are left out of lists. */
  readonly definitionBytes: number;
  /** Maximum number of tool definitions. Pinned tools are accepted beyond it. */
  readonly tools: number;
  /** Maximum size of tool definitions and cached results together, in bytes. */
  readonly rememberedBytes: number;
  /** Maximum number of cached results. */
  readonly cachedResults: number;
}

/** Default limits. Sizes are estimates by `sizeOf`. */
export const CLIENT_LIMITS: ClientLimits = {
  pages: 1000,
  items: 100_000,
  listBytes: 64 * MEBIBYTE,
  definitionBytes: MEBIBYTE,
  tools: 10_000,
  rememberedBytes: 64 * MEBIBYTE,
  cachedResults: 500,
};

// Deeper than transports accept by default (64 levels), but not so deep that the recursion overflows the stack.
const MAX_DEPTH = 500;

/** Estimates the size of a JSON value in memory, in bytes. Returns `Infinity` if it is nested deeper than 500 levels. */
export function sizeOf(value: unknown, levels: number = MAX_DEPTH): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (levels === 0) return Number.POSITIVE_INFINITY;
  let size = 32;
  if (Array.isArray(value)) for (const one of value) size += 8 + sizeOf(one, levels - 1);
  else for (const name of Object.keys(value)) size += 16 + name.length + sizeOf((value as never)[name], levels - 1);
  return size;
}
