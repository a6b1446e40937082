import { describe, expect, test } from 'vitest';
import { endpointUrl, identifierUrl } from './urls.ts';

describe('http: is for private networks', () => {
  const inside = `localhost a.localhost keycloak auth.local auth.internal 127.0.0.1 10.1.2.3 192.168.0.1 172.16.0.1
    172.31.255.255 169.254.1.1 [::1] [fd00::1] [fe80::1]`.split(/\s+/);
  const outside = `auth.example.com 10.evil.com 127.0.0.1.evil.com 172.32.0.1 192.169.0.1 8.8.8.8 [2001:db8::1]
    localhost.evil.com`.split(/\s+/);

  test.each(inside)('%s is one', (host) => {
    expect(endpointUrl(`http://${host}:8080/x`, 'jwksUri').host).toBe(`${host}:8080`);
  });

  test.each(outside)('%s is none', (host) => {
    expect(() => endpointUrl(`http://${host}/x`, 'jwksUri')).toThrow(
      new TypeError(
        'The option "jwksUri" must be an https: URL without a user name; http: only for hosts of a private network',
      ),
    );
  });
});

test('what identifies something has no query, no fragment, and no user name', () => {
  for (const bad of ['https://a.example/?x', 'https://a.example/#', 'https://a.example/x#y']) {
    expect(() => identifierUrl(bad, 'issuer')).toThrow(
      new TypeError('The option "issuer" must be a URL without a query or fragment'),
    );
  }
  for (const bad of ['https://user@a.example/', 'ftp://a.example', 'a.example', '', undefined, new URL('https://a')]) {
    expect(() => identifierUrl(bad, 'issuer')).toThrow('The option "issuer" must be an https: URL');
  }
});
