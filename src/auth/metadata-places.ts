/** Where an authorization server shows its metadata (RFC 8414, OpenID Connect Discovery). */

/** The places of an issuer's metadata, in the order in which it is looked for: three if it has a path, two if it has none. */
export function metadataPlaces(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
