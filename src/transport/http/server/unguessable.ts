/** `unguessable`: random ids of sessions and streams. */

const LENGTH = 24;

// A call of `getRandomValues` takes ten times as long as the use of its bytes, so one call fills a pool for 128 ids.
const pool = new Uint8Array(128 * LENGTH);
let used: number = pool.length;

/** Returns 192 random bits as 32 characters that are safe in header fields and URLs. */
export function unguessable(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const name = btoa(String.fromCharCode(...pool.subarray(used, used + LENGTH)))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  // Erases the bytes of the id, so that a leak of the pool's memory cannot reveal it.
  pool.fill(0, used, used + LENGTH);
  used += LENGTH;
  return name;
}
