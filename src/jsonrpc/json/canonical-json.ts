/** Returns the JSON text of a value with sorted object keys, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** Returns a non-cryptographic hash of a JSON value, for input requests in encrypted `requestState` and for list cursors. */
export function fingerprint(value: unknown): string {
  const text = canonicalJson(value);
  return hash(text, 0x811c9dc5).toString(36) + hash(text, 0x9e3779b1).toString(36);
}

// FNV-1a, followed by the finalizer of MurmurHash3.
function hash(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
