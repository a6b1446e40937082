/** Accepted signature algorithms. */

/** Only asymmetric algorithms: with a symmetric one, every party that verifies tokens could forge them. */
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

/** Validates the option `algorithms`. Default: all accepted algorithms. */
export function acceptedAlgorithms(wanted: readonly string[] = ALGORITHMS): string[] {
  const isList = Array.isArray(wanted) && wanted.length > 0;
  // With `none` or a symmetric algorithm, tokens could be forged with the public key.
  if (isList && wanted.every((algorithm) => ALGORITHMS.includes(algorithm))) return [...wanted];
  throw new TypeError(`The option "algorithms" must be a list of some of these: ${ALGORITHMS.join(', ')}`);
}
