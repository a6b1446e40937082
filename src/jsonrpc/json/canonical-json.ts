/** Returns the JSON text of a value, with the keys of objects sorted: equal values have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/**
 * Returns a hash of a JSON value. A server uses it to recognize an input request when the handler runs again. The hash is not
 * cryptographic, since clients see it only within the encrypted `requestState`.
 */
export function fingerprint(value: unknown): string {
  const text = canonicalJson(value);
  return mix(text, 0x9e3779b1).toString(36) + mix(text, 0x85ebca77).toString(36);
}

function mix(text: string, seed: number): number {
  let low = 0xdeadbeef ^ seed;
  let high = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return 4294967296 * (2097151 & high) + (low >>> 0);
}
