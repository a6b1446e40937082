/** The signature algorithms that are accepted: those with a public key. */

/** Asymmetric, so that nobody who can check a signature can make one. */
export const ALGORITHMS: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
  'Ed25519',
];

/** The option "algorithms", or all that are accepted. */
export function acceptedAlgorithms(wanted: readonly string[] = ALGORITHMS): string[] {
  const isList = Array.isArray(wanted) && wanted.length > 0;
  // With `none` or a shared secret whoever knows the public key could make tokens.
  if (isList && wanted.every((algorithm) => ALGORITHMS.includes(algorithm))) return [...wanted];
  throw new TypeError(`The option "algorithms" must be a list of some of these: ${ALGORITHMS.join(', ')}`);
}
