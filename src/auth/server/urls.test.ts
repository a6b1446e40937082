import { describe, expect, test } from 'vitest';
import { endpointUrl, identifierUrl, issuerUrl } from './urls.ts';

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
      new TypeError('The option "jwksUri" must be an https: URL; http: is only for hosts of a private network'),
    );
  });
});

test('what identifies something has no query and no fragment', () => {
  for (const bad of ['https://a.example/?x', 'https://a.example/#', 'https://a.example/x#y']) {
    expect(() => identifierUrl(bad, 'issuer')).toThrow(
      new TypeError('The option "issuer" must be a URL without a query or fragment'),
    );
  }
});

const WHOLE = 'must be a whole URL with "https://" in front, such as "https://mcp.example.com/mcp"';
const TEXT = 'must be a text with a URL, such as "https://mcp.example.com/mcp"';
test.each([
  [undefined, 'is missing: it must be a URL, such as "https://mcp.example.com/mcp"'],
  [new URL('https://a.example'), 'must be a text, not a URL object: pass its "href"'],
  [null, TEXT],
  [7, TEXT],
  ['', WHOLE],
  ['a.example', WHOLE],
  ['/mcp', WHOLE],
  ['//a.example/mcp', WHOLE],
  ['localhost:3000/mcp', WHOLE],
  ['https:a.example', WHOLE],
  ['https://', 'is no URL: it must be one, such as "https://mcp.example.com/mcp"'],
  ['https://user@a.example/', 'must be a URL without a user name or password'],
  ['http://a.example', 'must be an https: URL; http: is only for hosts of a private network'],
  ['ftp://a.example', 'must be an https: URL'],
  ['ws://localhost', 'must be an https: URL'],
])('%s: the error says what is wrong with it', (bad, message) => {
  expect(() => endpointUrl(bad, 'resource')).toThrow(new TypeError(`The option "resource" ${message}`));
});

test('an issuer is not where its metadata is', () => {
  expect(issuerUrl('https://a.example/realms/x', 'issuer').pathname).toBe('/realms/x');
  for (const bad of ['https://a.example/.well-known/openid-configuration', 'https://a.example/x/.well-known/y']) {
    expect(() => issuerUrl(bad, 'issuer')).toThrow(
      new TypeError('The option "issuer" must be the issuer, not where its metadata is: leave out "/.well-known/..."'),
    );
  }
});
