import { describe, expect, test } from 'vitest';
import { METADATA_URL, RESOURCE, requestOf, show, told } from '../../../test/auth-server/issuer.ts';
import type { Principal } from '../../protocol/principal.ts';
import { type VerifierOptions, verifier } from './verifier.ts';

const issuer = 'https://auth.example.com';
const checkedBy = (verify: VerifierOptions['verify'], more: Partial<VerifierOptions> = {}) =>
  verifier({ issuer, resource: RESOURCE, verify, ...more });

test('whom the function knows is let in, at once if it knows at once', async () => {
  const auth = checkedBy((token, { method }) => ({ subject: `${token} ${method}` }));
  expect(auth({ scheme: 'bearer', token: 'abc' }, requestOf())).toEqual({ issuer, subject: 'abc POST', scopes: [] });
  const later = checkedBy(async (token) => ({ subject: token, issuer: 'https://other.example.com' }));
  expect(await show(later, 'abc')).toEqual({ issuer: 'https://other.example.com', subject: 'abc', scopes: [] });
});

test('whom it does not know has a bad token', async () => {
  for (const nobody of [undefined, null]) {
    const auth = checkedBy(async () => nobody);
    expect(told(await show(auth, 'abc'))).toBe(
      `401 Bearer resource_metadata="${METADATA_URL}", error="invalid_token", error_description="The token is not valid"`,
    );
  }
});

test('what it throws is nobody’s bad token', async () => {
  const down = new Error('The database is down');
  const now = checkedBy(() => {
    throw down;
  });
  expect(() => now({ scheme: 'bearer', token: 'abc' }, requestOf())).toThrow(down);
  await expect(
    show(
      checkedBy(() => Promise.reject(down)),
      'abc',
    ),
  ).rejects.toBe(down);
});

test('it has to give a principal', async () => {
  const subject = 'The principal of "verify" must have a "subject"';
  const cases: readonly (readonly [unknown, string])[] = [
    [true, '"verify" gave neither a principal nor undefined'],
    [[], '"verify" gave neither a principal nor undefined'],
    [{}, subject],
    [{ subject: '' }, subject],
    [{ subject: 7 }, subject],
    // In a text every part of it would be found.
    [{ subject: 'a', scopes: 'read write' }, 'The "scopes" of the principal of "verify" must be an array of strings'],
    [{ subject: 'a', scopes: ['read', 7] }, 'The "scopes" of the principal of "verify" must be an array of strings'],
    [{ subject: 'a', expiresAt: '1' }, 'The "expiresAt" of the principal of "verify" must be a number'],
    [{ subject: 'a', expiresAt: 1_800_000_000 }, 'must be a number of milliseconds since 1970'],
  ];
  for (const [wrong, message] of cases) {
    const auth = checkedBy(async () => wrong as Principal);
    const failure = await show(auth, 'abc').catch((error: unknown) => error);
    expect([wrong, failure]).toEqual([wrong, expect.any(TypeError)]);
    expect(String(failure)).toContain(message);
  }
});

test('until when a token is good can be said', async () => {
  const expiresAt = Date.now() + 60_000;
  expect(
    await show(
      checkedBy(() => ({ subject: 'a', expiresAt })),
      'abc',
    ),
  ).toMatchObject({ expiresAt });
});

test('who lacks a scope is known all the same', async () => {
  const auth = checkedBy(() => ({ subject: 'alice', scopes: ['read'] }), { scopes: ['mcp:use'] });
  expect(await show(auth, 'abc')).toMatchObject({ status: 403, principal: { subject: 'alice', scopes: ['read'] } });
});

describe('scopes', () => {
  test('are needed, and imply others, as with every token', async () => {
    const auth = checkedBy((token) => ({ subject: 'alice', scopes: [token] }), {
      scopes: ['read'],
      implies: { admin: ['read'] },
    });
    expect(told(await show(auth, 'write'))).toMatch(/^403 Bearer error="insufficient_scope", scope="read"/);
    expect(await show(auth, 'admin')).toMatchObject({ scopes: ['admin', 'read'] });
  });
});

test('a principal that is bound to a key needs a proof', async () => {
  const auth = checkedBy(() => ({ subject: 'alice', claims: { cnf: { jkt: 'abc' } } }));
  expect(told(await show(auth, 'abc'))).toMatch(
    /^401 DPoP .*error="invalid_token", error_description="The token is bound/,
  );
  const other = checkedBy(() => ({ subject: 'alice', claims: { cnf: { 'x5t#S256': 'abc' } } }));
  expect(told(await show(other, 'abc'))).toMatch(
    /^401 Bearer .*error_description="The token is bound to something that/,
  );
});

test('several authorization servers can be named', () => {
  const authorizationServers = [issuer, 'https://other.example.com'];
  const { protectedResource } = checkedBy(() => undefined, { issuer: undefined, authorizationServers });
  expect(protectedResource.metadata['authorization_servers']).toEqual(authorizationServers);
});

test.each([
  [{ issuer: undefined }, 'One of the options "issuer" and "authorizationServers" must be there'],
  [{ issuer: undefined, authorizationServers: [] }, 'One of the options "issuer" and "authorizationServers"'],
  [{ issuer: 'x' }, 'The option "issuer"'],
  [{ authorizationServers: ['x'] }, 'The option "authorizationServers"'],
  [{ verify: undefined as never }, 'The option "verify"'],
  [{ issuer: `${issuer}/.well-known/x` }, 'The option "issuer" must be the issuer'],
])('%j is a TypeError that names the option', (more, message) => {
  expect(() => checkedBy(() => undefined, more)).toThrow(TypeError);
  expect(() => checkedBy(() => undefined, more)).toThrow(message);
});
