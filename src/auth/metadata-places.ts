/** Well-known URLs of authorization server metadata (RFC 8414, OpenID Connect Discovery). */

/** Returns the metadata URLs of an issuer, in the order to try: three if the issuer has a path, otherwise two. */
export function metadataPlaces(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
