/** Names that nobody can guess. */

const LENGTH = 24;

// Asking for chance takes ten times as long as using it, however little is asked for.
const pool = new Uint8Array(128 * LENGTH);
let used: number = pool.length;

/** 192 random bits, in letters that are safe in headers and URLs. */
export function unguessable(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const name = btoa(String.fromCharCode(...pool.subarray(used, used + LENGTH)))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  // What was given out is known to nobody else.
  pool.fill(0, used, used + LENGTH);
  used += LENGTH;
  return name;
}
