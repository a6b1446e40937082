/** The secrets a server seals with, looked at before they are needed. */

/** A secret: at least 32 characters or bytes, from a random source. */
export type Secret = string | Uint8Array;

/** The secrets as bytes. Throws if one of them is too short to be one. */
export function secretsOf(secrets: readonly Secret[]): readonly Uint8Array[] {
  const all = secrets.map((secret) => (typeof secret === 'string' ? new TextEncoder().encode(secret) : secret));
  if (all.some(({ length }) => length < 32)) throw new TypeError('Each of "keys" must have at least 32 bytes');
  return all;
}
