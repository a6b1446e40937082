import { exportSPKI, SignJWT } from 'jose';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  goodClaims,
  ISSUER,
  METADATA_URL,
  makeIssuer,
  makeKey,
  now,
  pathsOf,
  RESOURCE,
  requestOf,
  show,
  sign,
  type TestIssuer,
  type TestKey,
  told,
} from '../../../test/auth-server/issuer.ts';
import { type JwtOptions, jwt } from './jwt.ts';
import type { ResourceAuth } from './resource.ts';

let key: TestKey;
let rsa: TestKey;
beforeAll(async () => {
  [key, rsa] = await Promise.all([makeKey('one'), makeKey('rsa', 'RS256')]);
});
afterEach(() => void vi.useRealTimers());

/** A protected server whose issuer has both keys. */
function protect(options: Partial<JwtOptions> = {}): { auth: ResourceAuth; issuer: TestIssuer } {
  const issuer = makeIssuer();
  issuer.keys = [key.jwk, rsa.jwk];
  const auth = jwt({ issuer: ISSUER, resource: RESOURCE, scopes: ['mcp:use'], fetch: issuer.fetch, ...options });
  return { auth, issuer };
}

const refused = (description: string): string =>
  `401 Bearer resource_metadata="${METADATA_URL}", scope="mcp:use", error="invalid_token", error_description="${description}"`;
const MALFORMED = refused('The token cannot be read');
const SIGNATURE = refused('The signature of the token is not valid');
const ALGORITHM = refused('The algorithm the token is signed with is not accepted');
const AUDIENCE = refused('The token was not issued for this server');
const ANOTHER_ISSUER = refused('The token comes from another issuer');
const EXPIRED = refused('The token has expired');
const EARLY = refused('The token is not valid yet');
const NOBODY = refused('The token does not say whom it was issued for');

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a good token lets its bearer in', async () => {
  const { auth } = protect();
  const exp = now() + 300;
  expect(await show(auth, await sign(key, { exp }))).toEqual({
    issuer: ISSUER,
    subject: 'alice',
    clientId: 'app',
    scopes: ['mcp:use'],
    claims: { iss: ISSUER, aud: RESOURCE, sub: 'alice', client_id: 'app', scope: 'mcp:use', exp },
    // As long as it is accepted: clocks may differ.
    expiresAt: (exp + 5) * 1000,
  });
});

describe('what a token says', () => {
  const cases: readonly (readonly [what: string, changes: Record<string, unknown>, outcome: string])[] = [
    ['the audience is another', { aud: 'https://other.example.com/mcp' }, AUDIENCE],
    ['no audience', { aud: undefined }, AUDIENCE],
    ['an audience that begins with ours', { aud: `${RESOURCE}/more` }, AUDIENCE],
    ['an audience that ours begins with', { aud: 'https://mcp.example.com/mc' }, AUDIENCE],
    ['our origin as audience', { aud: 'https://mcp.example.com' }, AUDIENCE],
    ['our audience with a slash', { aud: `${RESOURCE}/` }, AUDIENCE],
    ['our audience within another', { aud: `https://other.example.com ${RESOURCE}` }, AUDIENCE],
    ['an empty list of audiences', { aud: [] }, AUDIENCE],
    ['a list of audiences with ours', { aud: ['https://other.example.com', RESOURCE] }, 'let in: alice'],
    ['another issuer', { iss: 'https://evil.example.com' }, ANOTHER_ISSUER],
    ['the issuer with a slash', { iss: `${ISSUER}/` }, ANOTHER_ISSUER],
    ['the issuer in capitals', { iss: 'https://AUTH.example.com' }, ANOTHER_ISSUER],
    ['no issuer', { iss: undefined }, ANOTHER_ISSUER],
    ['expired', { exp: now() - 60 }, EXPIRED],
    ['expired in 1970', { exp: 0 }, EXPIRED],
    ['no end', { exp: undefined }, MALFORMED],
    ['an end that is a text', { exp: String(now() + 300) }, MALFORMED],
    ['an end that is null', { exp: null }, MALFORMED],
    ['not yet valid', { nbf: now() + 60 }, EARLY],
    ['a beginning that is a text', { nbf: '0' }, MALFORMED],
    ['no subject and no client', { sub: undefined, client_id: undefined }, NOBODY],
    ['an empty subject', { sub: '' }, NOBODY],
    ['a subject that is a number', { sub: 7 }, NOBODY],
  ];

  test.each(cases)('%s', async (_what, changes, outcome) => {
    const { auth } = protect();
    expect(told(await show(auth, await sign(key, changes)))).toBe(outcome);
  });

  test('clocks may differ by five seconds, or as said', async () => {
    const { auth } = protect();
    const { auth: strict } = protect({ clockTolerance: 0 });
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const tokens = [await sign(key, { exp: now() - 4 }), await sign(key, { nbf: now() + 4 })];
    for (const token of tokens) expect(told(await show(auth, token))).toBe('let in: alice');
    expect(told(await show(strict, tokens[0]))).toBe(EXPIRED);
    expect(told(await show(strict, tokens[1]))).toBe(EARLY);
  });

  test('the audience may be an identifier of the issuer’s', async () => {
    const { auth } = protect({ audience: ['api://files', 'api://more'] });
    expect(told(await show(auth, await sign(key, { aud: 'api://more' })))).toBe('let in: alice');
    expect(told(await show(auth, await sign(key)))).toBe(AUDIENCE);
  });

  test('a server at the root is meant with and without the slash', async () => {
    const issuer = makeIssuer();
    issuer.keys = [key.jwk];
    const auth = jwt({ issuer: ISSUER, resource: 'https://mcp.example.com', fetch: issuer.fetch });
    for (const aud of ['https://mcp.example.com', 'https://mcp.example.com/']) {
      expect(told(await show(auth, await sign(key, { aud })))).toBe('let in: alice');
    }
    expect(told(await show(auth, await sign(key)))).toMatch(/^401 /);
  });
});

describe('how a token is signed', () => {
  test.each(['none', 'nOnE', 'NONE'])('not at all, with the algorithm %s', async (alg) => {
    const { auth, issuer } = protect();
    const unsigned = `${base64({ alg, kid: 'one' })}.${base64(goodClaims())}.`;
    expect(told(await show(auth, unsigned))).toBe(ALGORITHM);
    expect(issuer.asked).toEqual([]);
  });

  test('with the public key, as if it were a secret', async () => {
    const { auth } = protect();
    const pem = new TextEncoder().encode(await exportSPKI(rsa.publicKey));
    for (const secret of [pem, new TextEncoder().encode(JSON.stringify(rsa.jwk))]) {
      const token = await new SignJWT(goodClaims()).setProtectedHeader({ alg: 'HS256', kid: 'rsa' }).sign(secret);
      expect(told(await show(auth, token))).toBe(ALGORITHM);
    }
  });

  test('with somebody else’s key of the same name', async () => {
    const { auth } = protect();
    expect(told(await show(auth, await sign(await makeKey('one'))))).toBe(SIGNATURE);
  });

  test('the signature was taken away', async () => {
    const { auth } = protect();
    const [header, payload] = (await sign(key)).split('.');
    expect(told(await show(auth, `${header}.${payload}.`))).toBe(SIGNATURE);
    expect(told(await show(auth, `${header}.${payload}`))).toBe(MALFORMED);
  });

  test('what is signed was exchanged', async () => {
    const { auth } = protect();
    const [header, , signature] = (await sign(key)).split('.');
    expect(told(await show(auth, `${header}.${base64(goodClaims({ sub: 'root' }))}.${signature}`))).toBe(SIGNATURE);
  });

  test('with an algorithm that was not chosen', async () => {
    const { auth } = protect({ algorithms: ['RS256'] });
    expect(told(await show(auth, await sign(key)))).toBe(ALGORITHM);
    expect(told(await show(auth, await sign(rsa)))).toBe('let in: alice');
  });

  test('without saying with which of several keys', async () => {
    const { auth, issuer } = protect();
    const other = await makeKey('two');
    issuer.keys = [other.jwk, key.jwk];
    expect(told(await show(auth, await sign(key, {}, { kid: undefined })))).toBe('let in: alice');
    expect(told(await show(auth, await sign(await makeKey('x'), {}, { kid: undefined })))).toBe(SIGNATURE);
    expect(told(await show(auth, await sign(key, { aud: 'x' }, { kid: undefined })))).toBe(AUDIENCE);
  });

  test('with a key that is too weak, which the operator learns', async () => {
    const errors: Error[] = [];
    const { auth, issuer } = protect({ onError: (error) => void errors.push(error) });
    // 1024 bits.
    const n =
      'w7Zdfmece8iaB0kiTY8pCtiBtzbptJmP28nSWwtdjRu0f2GFpajvWE4VhfJAjEsOcwYzay7XGN0b-X84BfC8hmCTOj2b2eHT7NsZegFPKRUQzJ9wW8ipn_aDJWMGDuB1XyqT1E7DYqjUCEOD1b4FLpy_xPn6oV_TYOfQ9fZdbE8';
    issuer.keys = [{ kty: 'RSA', kid: 'weak', alg: 'RS256', e: 'AQAB', n }];
    const token = `${base64({ alg: 'RS256', kid: 'weak' })}.${base64(goodClaims())}.AAAA`;
    expect(told(await show(auth, token))).toBe(SIGNATURE);
    expect(errors.map(String)).toEqual(['TypeError: RS256 requires key modulusLength to be 2048 bits or larger']);
  });
});

describe('the header of a token', () => {
  test.each([{ crit: ['exp'], exp: 1 }, { crit: ['b64'], b64: true }, { crit: [] }])(
    '%j is not understood',
    async (header) => {
      const { auth } = protect();
      const [, payload, signature] = (await sign(key)).split('.');
      const token = `${base64({ alg: 'ES256', kid: 'one', ...header })}.${payload}.${signature}`;
      expect(told(await show(auth, token))).toBe(MALFORMED);
    },
  );

  test('cannot bring a key along, nor send anybody to fetch one', async () => {
    const { auth, issuer } = protect();
    const own = await makeKey('own');
    const header = { jku: 'https://evil.example/jwks', x5u: 'https://evil.example/cert', jwk: own.jwk };
    expect(told(await show(auth, await sign(own, {}, header)))).toBe(SIGNATURE);
    expect(told(await show(auth, await sign(own, {}, { ...header, kid: 'one' })))).toBe(SIGNATURE);
    expect(told(await show(auth, await sign(key, {}, header)))).toBe('let in: alice');
    expect(new Set(pathsOf(issuer))).toEqual(new Set(['/.well-known/oauth-authorization-server', '/jwks']));
  });

  test.each([
    ['JWT', 'let in: alice'],
    ['application/at+jwt', 'let in: alice'],
    [undefined, 'let in: alice'],
    ['dpop+jwt', refused('The token is not an access token')],
    ['oauth-id-jag+jwt', refused('The token is not an access token')],
  ])('says of what kind it is: %s', async (typ, outcome) => {
    const { auth } = protect();
    expect(told(await show(auth, await sign(key, {}, { typ })))).toBe(outcome);
  });
});

describe('what is no token', () => {
  test.each(['x', 'a.b.c', '..', 'a.b.c.d.e', `${base64('text')}.e30.AAAA`, `${base64({})}.e30.AAAA`])(
    '%s',
    async (text) => {
      const { auth, issuer } = protect();
      expect(told(await show(auth, text))).toBe(MALFORMED);
      expect(issuer.asked).toEqual([]);
    },
  );

  test('17 KB', async () => {
    const { auth, issuer } = protect();
    expect(told(await show(auth, await sign(key, { fill: 'x'.repeat(17_000) })))).toBe(MALFORMED);
    expect(issuer.asked).toEqual([]);
  });
});

describe('scopes', () => {
  const NEEDED =
    `403 Bearer error="insufficient_scope", scope="files:read files:write", resource_metadata="${METADATA_URL}", ` +
    'error_description="The token lacks a scope that the request needs"';
  const scopes = ['files:read', 'files:write'];

  test.each([
    ['files:read', NEEDED],
    ['', NEEDED],
    ['files:readonly files:write', NEEDED],
    ['files:read,files:write', NEEDED],
    ['FILES:READ files:write', NEEDED],
    ['other files:write files:read', 'let in: alice'],
  ])('are compared as a set: "%s"', async (scope, outcome) => {
    const { auth } = protect({ scopes });
    expect(told(await show(auth, await sign(key, { scope })))).toBe(outcome);
  });

  test('that others imply are granted with them', async () => {
    const { auth } = protect({ scopes, implies: { admin: ['files:write'], 'files:write': ['files:read'] } });
    const outcome = await show(auth, await sign(key, { scope: 'admin' }));
    expect(outcome).toMatchObject({ scopes: ['admin', 'files:write', 'files:read'] });
    expect(told(await show(auth, await sign(key, { scope: 'files:read' })))).toBe(NEEDED);
  });
});

test('a client that acts for itself is the subject', async () => {
  const { auth } = protect();
  const outcome = await show(auth, await sign(key, { sub: undefined, client_id: undefined, azp: 'robot' }));
  expect(outcome).toMatchObject({ subject: 'robot', clientId: 'robot' });
});

test('claims cannot be changed, however deep: several requests share them', async () => {
  const { auth } = protect();
  const outcome = await show(auth, await sign(key, { act: { roles: ['a'] } }));
  if (!('claims' in outcome)) throw new Error('not let in');
  const { act } = outcome.claims as { act: { roles: string[] } };
  expect(() => act.roles.push('admin')).toThrow(TypeError);
  expect(() => Object.assign(outcome, { subject: 'root' })).toThrow(TypeError);
});

describe('a token that was good a moment ago', () => {
  test('lets its bearer in at once, without a promise', async () => {
    const { auth } = protect();
    const token = await sign(key);
    await show(auth, token);
    expect(auth({ scheme: 'bearer', token }, requestOf())).toMatchObject({ subject: 'alice' });
  });

  test('is looked at anew after half a minute, and after its end', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { auth } = protect({ clockTolerance: 0 });
    const [long, short] = [await sign(key), await sign(key, { exp: now() + 10 })];
    for (const token of [long, short]) await show(auth, token);
    vi.advanceTimersByTime(11_000);
    expect(told(await show(auth, short))).toBe(EXPIRED);
    expect(auth({ scheme: 'bearer', token: long }, requestOf())).not.toBeInstanceOf(Promise);
    vi.advanceTimersByTime(20_000);
    expect(auth({ scheme: 'bearer', token: long }, requestOf())).toBeInstanceOf(Promise);
  });

  test('is not another that begins alike', async () => {
    const { auth } = protect();
    const token = await sign(key);
    await show(auth, token);
    expect(told(await show(auth, token.slice(0, -2)))).toMatch(/^401 /);
  });
});

test.each([
  [{ algorithms: ['none'] }, 'algorithms'],
  [{ algorithms: ['ES256', 'HS256'] }, 'algorithms'],
  [{ algorithms: [] }, 'algorithms'],
  [{ issuer: 'auth.example.com' }, 'issuer'],
  [{ issuer: 'http://auth.example.com' }, 'issuer'],
  [{ issuer: 'https://auth.example.com?x' }, 'issuer'],
  [{ issuer: `${ISSUER}/.well-known/oauth-authorization-server` }, 'issuer'],
  [{ jwksUri: 'http://auth.example.com/jwks' }, 'jwksUri'],
  [{ resource: undefined as never }, 'resource'],
  [{ audience: [] }, 'audience'],
  [{ audience: 7 as never }, 'audience'],
  [{ clockTolerance: -1 }, 'clockTolerance'],
  [{ fetch: 7 as never }, 'fetch'],
  [{ onError: 7 as never }, 'onError'],
  [{ scopes: ['offline_access'] }, 'scopes'],
] satisfies readonly (readonly [Partial<JwtOptions>, string])[])(
  '%j: a TypeError names the option',
  (options, name) => {
    expect(() => protect(options)).toThrow(TypeError);
    expect(() => protect(options)).toThrow(`The option "${name}"`);
  },
);

test('it is called with options, and what it gives is "auth"', () => {
  const expected = new TypeError('jwt needs its options: write auth: jwt({ issuer, resource }), and not auth: jwt');
  for (const given of [undefined, null, 'https://auth.example.com', { scheme: 'bearer', token: 'x' }]) {
    expect(() => jwt(given as never)).toThrow(expected);
  }
});
