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
  const auth = checkedBy(async () => undefined);
  expect(told(await show(auth, 'abc'))).toBe(
    `401 Bearer resource_metadata="${METADATA_URL}", error="invalid_token", error_description="The token is not valid"`,
  );
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
  for (const wrong of [null, true, {}, { subject: '' }, { subject: 7 }, []]) {
    const auth = checkedBy(async () => wrong as unknown as Principal);
    await expect(show(auth, 'abc')).rejects.toThrow(
      new TypeError('"verify" gave neither a principal with a "subject" nor undefined'),
    );
  }
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
])('%j is a TypeError that names the option', (more, message) => {
  expect(() => checkedBy(() => undefined, more)).toThrow(TypeError);
  expect(() => checkedBy(() => undefined, more)).toThrow(message);
});
