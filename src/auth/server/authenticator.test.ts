import { describe, expect, test } from 'vitest';
import { METADATA_URL, RESOURCE, requestOf, show, told } from '../../../test/auth-server/issuer.ts';
import { verifier } from './verifier.ts';

const seen: string[] = [];
const auth = verifier({
  issuer: 'https://auth.example.com',
  resource: RESOURCE,
  scopes: ['mcp:use'],
  verify: (token) => {
    seen.push(token);
    return token === 'good' ? { subject: 'alice', scopes: ['mcp:use'] } : undefined;
  },
});
const MISSING = `401 Bearer resource_metadata="${METADATA_URL}", scope="mcp:use"`;

test('without a token: where to look, and no error', async () => {
  expect(told(await show(auth, undefined))).toBe(MISSING);
});

test('who uses another scheme is told which one is right, and of no error', async () => {
  for (const scheme of ['basic', 'digest', 'constructor', '__proto__']) {
    expect(told(await show(auth, 'good', { scheme }))).toBe(MISSING);
  }
  expect(seen).toEqual([]);
});

describe('a token in the URL', () => {
  const IN_URL = `${MISSING}, error="invalid_request", error_description="A token belongs into the header Authorization, not into the URL"`;

  test.each(['/mcp?access_token=good', '/mcp?a=b&access_token=', '/mcp?access%5Ftoken=good'])(
    '%s is refused',
    async (target) => {
      const request = requestOf({}, { target });
      expect(told(await show(auth, undefined, { request }))).toBe(IN_URL);
      expect(told(await show(auth, 'good', { request }))).toBe(IN_URL);
    },
  );

  test('is not what only looks like it', async () => {
    const request = requestOf({}, { target: '/access_token=x?my_access_token=x' });
    expect(told(await show(auth, 'good', { request }))).toBe('let in: alice');
  });
});

test('a header that cannot be read is an error of its own', async () => {
  for (const authorization of ['Bearer', 'Bearer a b', 'bearer "x"', 'DPoP ']) {
    const request = requestOf({ authorization });
    expect(told(await show(auth, undefined, { request }))).toBe(
      `${MISSING}, error="invalid_request", error_description="The header Authorization cannot be read"`,
    );
  }
  expect(told(await show(auth, undefined, { request: requestOf({ authorization: 'Bearers x, y' }) }))).toBe(MISSING);
});

test('what is said of the server never comes from the request', async () => {
  const request = requestOf({ host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' });
  expect(told(await show(auth, undefined, { request }))).toBe(MISSING);
});
