import { decodeJwt, decodeProtectedHeader, exportJWK } from 'jose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type Asked,
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
  type TestAnswer,
  type TestIssuer,
  told,
} from '../../../test/auth-server/issuer.ts';
import { type IntrospectOptions, introspect } from './introspect.ts';
import type { ResourceAuth } from './resource.ts';

const METADATA = '/.well-known/oauth-authorization-server';
const DOWN = '503 {"Retry-After":"10"}';
const IN = 'let in: alice';
const refused = (description: string): string =>
  `401 Bearer resource_metadata="${METADATA_URL}", error="invalid_token", error_description="${description}"`;

afterEach(() => void vi.useRealTimers());

type Said = Record<string, unknown> | ((asked: Asked) => TestAnswer | Promise<TestAnswer>);

/** A protected server whose issuer says this of every token. */
function protect(
  said: Said,
  options: Partial<IntrospectOptions> = {},
): { auth: ResourceAuth; issuer: TestIssuer; errors: Error[] } {
  const issuer = makeIssuer();
  const errors: Error[] = [];
  issuer.pages.set('/introspect', typeof said === 'function' ? said : () => ({ status: 200, body: said }));
  const auth = introspect({
    issuer: ISSUER,
    resource: RESOURCE,
    clientId: 'mcp server',
    clientSecret: 's3cret:/',
    fetch: issuer.fetch,
    onError: (error) => void errors.push(error),
    ...options,
  });
  return { auth, issuer, errors };
}

/** The tokens that were asked about. */
const tokensOf = ({ asked }: TestIssuer): (string | null)[] =>
  asked.filter(({ path }) => path === '/introspect').map(({ body }) => new URLSearchParams(body).get('token'));

const active = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  active: true,
  ...goodClaims(changes),
});

test('an active token lets its bearer in', async () => {
  const { auth, issuer } = protect(active({ exp: 4_000_000_000, token_type: 'Bearer', echo: 'opaque' }));
  expect(await show(auth, 'opaque')).toEqual({
    issuer: ISSUER,
    subject: 'alice',
    clientId: 'app',
    scopes: ['mcp:use'],
    // Nothing that is the token itself.
    claims: { iss: ISSUER, aud: RESOURCE, sub: 'alice', client_id: 'app', scope: 'mcp:use', exp: 4_000_000_000 },
    expiresAt: 4_000_000_005_000,
  });
  expect(pathsOf(issuer)).toEqual([METADATA, '/introspect']);
  const { method, headers, body } = issuer.asked[1] as Asked;
  expect([method, body]).toEqual(['POST', 'token_type_hint=access_token&token=opaque']);
  // RFC 6749: both are form-encoded first.
  expect(atob(headers['authorization']?.slice('Basic '.length) ?? '')).toBe('mcp+server:s3cret%3A%2F');
});

describe('what is said of a token', () => {
  test.each([
    ['not active', { active: false }, refused('The token is not valid')],
    ['for another', active({ aud: 'https://other.example.com' }), refused('The token was not issued for this server')],
    ['for nobody', active({ aud: undefined }), refused('The token was not issued for this server')],
    ['for us and another', active({ aud: ['x', RESOURCE] }), IN],
    ['from another issuer', active({ iss: `${ISSUER}/` }), refused('The token comes from another issuer')],
    ['from a nameless issuer', active({ iss: undefined }), IN],
    ['expired', active({ exp: now() - 60 }), refused('The token has expired')],
    ['without an end', active({ exp: undefined }), IN],
    ['with a text for an end', active({ exp: '1' }), refused('The token cannot be read')],
    ['not yet valid', active({ nbf: now() + 60 }), refused('The token is not valid yet')],
    [
      'of nobody',
      active({ sub: undefined, client_id: undefined }),
      refused('The token does not say whom it was issued for'),
    ],
    ['a refresh token', active({ token_type: 'refresh_token' }), refused('The token is not an access token')],
    [
      'bound to a certificate',
      active({ cnf: { 'x5t#S256': 'x' } }),
      refused('The token is bound to something that cannot be checked here'),
    ],
    [
      'bound to a key that it does not name',
      active({ token_type: 'dpop' }),
      refused('The token is bound to something that cannot be checked here'),
    ],
  ])('%s', async (_what, said, outcome) => {
    const { auth } = protect(said);
    expect(told(await show(auth, 'opaque'))).toBe(outcome);
  });

  test('bound to a key: without a proof it is of no use', async () => {
    const { auth } = protect(active({ cnf: { jkt: 'abc' }, token_type: 'DPoP' }));
    expect(told(await show(auth, 'opaque'))).toMatch(/^401 DPoP .*error="invalid_token"/);
    expect(told(await show(auth, 'opaque', { scheme: 'dpop' }))).toMatch(/^401 DPoP .*error="invalid_dpop_proof"/);
  });

  test('not enough for this server', async () => {
    const { auth } = protect(active(), { scopes: ['mcp:use', 'files'] });
    expect(told(await show(auth, 'opaque'))).toMatch(/^403 Bearer error="insufficient_scope", scope="mcp:use files"/);
  });
});

describe('how often is asked', () => {
  test('each time, but once for those who come together', async () => {
    const { auth, issuer } = protect(active());
    await Promise.all(Array.from({ length: 20 }, () => show(auth, 'one')));
    expect(pathsOf(issuer)).toEqual([METADATA, '/introspect']);
    await Promise.all([show(auth, 'one'), show(auth, 'two')]);
    expect(pathsOf(issuer)).toEqual([METADATA, '/introspect', '/introspect', '/introspect']);
  });

  test('not for a while, if that was chosen; never beyond the end of the token', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { auth, issuer } = protect(active({ exp: now() + 90 }), { cacheMs: 60_000, clockTolerance: 0 });
    await show(auth, 'one');
    expect(auth({ scheme: 'bearer', token: 'one' }, requestOf())).toMatchObject({ subject: 'alice' });
    vi.advanceTimersByTime(60_001);
    await show(auth, 'one');
    expect(issuer.asked).toHaveLength(3);
    vi.advanceTimersByTime(31_000);
    expect(told(await show(auth, 'one'))).toBe(refused('The token has expired'));
  });
});

describe('what callers can make it ask', () => {
  test('a bad token is asked about once in a few seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { auth, issuer } = protect({ active: false });
    for (let n = 0; n < 3; n++) expect(told(await show(auth, 'bad'))).toBe(refused('The token is not valid'));
    expect(pathsOf(issuer)).toEqual([METADATA, '/introspect']);
    issuer.pages.set('/introspect', () => ({ status: 200, body: active() }));
    vi.advanceTimersByTime(5001);
    expect(told(await show(auth, 'bad'))).toBe(IN);
  });

  test('bad tokens do not push out what is known of good ones', async () => {
    const { auth, issuer } = protect(
      ({ body }) => ({ status: 200, body: body.endsWith('token=good') ? active() : { active: false } }),
      { cacheMs: 60_000 },
    );
    await show(auth, 'good');
    for (let n = 0; n < 1100; n += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, more) => show(auth, `bad-${n + more}`)));
    }
    const asked = issuer.asked.length;
    expect(told(await show(auth, 'good'))).toBe(IN);
    expect(issuer.asked).toHaveLength(asked);
  });

  test('100 things at a time; more callers get a 503, and the operator is told once', async () => {
    const answers: (() => void)[] = [];
    const { auth, issuer, errors } = protect(
      () => new Promise((resolve) => answers.push(() => resolve({ status: 200, body: active() }))),
    );
    const first = Array.from({ length: 100 }, (_, n) => show(auth, `token-${n}`));
    expect(told(await show(auth, 'one more'))).toBe(DOWN);
    expect(told(await show(auth, 'and another'))).toBe(DOWN);
    const again = show(auth, 'token-7');
    await vi.waitUntil(() => answers.length === 100);
    expect(pathsOf(issuer).filter((path) => path === '/introspect')).toHaveLength(100);
    expect(errors.map(({ message }) => message)).toEqual([
      'The authorization server https://auth.example.com is being asked about 100 tokens already',
    ]);
    for (const answer of answers) answer();
    expect(new Set((await Promise.all([...first, again])).map(told))).toEqual(new Set([IN]));
    issuer.pages.set('/introspect', () => ({ status: 200, body: active() }));
    expect(told(await show(auth, 'one more'))).toBe(IN);
  });
});

test('where to ask can be said, and the credentials be put into the body', async () => {
  const { auth, issuer } = protect(active(), {
    endpoint: `${ISSUER}/introspect`,
    clientAuthMethod: 'client_secret_post',
  });
  expect(told(await show(auth, 'opaque'))).toBe(IN);
  expect(issuer.asked.map(({ path, body }) => [path, body])).toEqual([
    ['/introspect', 'token_type_hint=access_token&token=opaque&client_id=mcp+server&client_secret=s3cret%3A%2F'],
  ]);
});

test('a private key does what a secret does', async () => {
  const { privateKey } = await makeKey('mine', 'ES256');
  const jwk = { ...(await exportJWK(privateKey)), alg: 'ES256', kid: 'mine' };
  const { auth, issuer } = protect(active(), { clientSecret: undefined, privateKey: jwk });
  expect(told(await show(auth, 'opaque'))).toBe(IN);
  const sent = new URLSearchParams(issuer.asked[1]?.body);
  const assertion = sent.get('client_assertion') ?? '';
  expect(sent.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
  expect(decodeProtectedHeader(assertion)).toEqual({ alg: 'ES256', kid: 'mine' });
  expect(decodeJwt(assertion)).toMatchObject({ iss: 'mcp server', sub: 'mcp server', aud: ISSUER });
});

// What it says would be right; nobody has signed it.
const UNASKED = [
  { typ: 'token-introspection+jwt', alg: 'RS256' },
  { iss: ISSUER, aud: 'mcp server', iat: now(), token_introspection: active() },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('AAAA')
  .join('.');

describe('an authorization server that cannot be asked', () => {
  test.each([
    ['is broken', { status: 500, body: 'stack trace of opaque' }, 'status 500: not 200'],
    [
      'does not know us',
      { status: 401, body: { error: 'invalid_client' } },
      'status 401: the client credentials were not accepted',
    ],
    [
      'says nothing of "active"',
      { status: 200, body: { token: 'opaque' } },
      'status 200: the answer is no introspection response',
    ],
    ['answers with a page', { status: 200, body: '<html>' }, 'status 200: the answer is no introspection response'],
    [
      'answers with a JWT that nobody asked for',
      { status: 200, body: UNASKED, headers: { 'content-type': 'application/token-introspection+jwt' } },
      'status 200: the answer is no introspection response',
    ],
    ['sends us elsewhere', { status: 307, headers: { location: 'https://evil.example' } }, 'status 307: not 200'],
  ])('%s', async (_what, answer, outcome) => {
    const { auth, errors } = protect(() => answer);
    expect(told(await show(auth, 'opaque'))).toBe(DOWN);
    expect(errors.map(({ message }) => message)).toEqual([
      `The authorization server https://auth.example.com could not be asked about a token
What was tried:
  introspection, https://auth.example.com/introspect, ${outcome}`,
    ]);
  });

  test('has no metadata: that is looked for once in a while', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { auth, issuer, errors } = protect(active());
    const metadata = issuer.pages.get(METADATA);
    issuer.pages.delete(METADATA);
    for (const token of ['a', 'b', 'c']) expect(told(await show(auth, token))).toBe(DOWN);
    expect(pathsOf(issuer)).toEqual([METADATA, '/.well-known/openid-configuration']);
    expect(errors).toHaveLength(1);
    if (metadata) issuer.pages.set(METADATA, metadata);
    vi.advanceTimersByTime(10_001);
    expect(told(await show(auth, 'a'))).toBe(IN);
  });

  test.each([
    ['is broken', (): TestAnswer => ({ status: 500 })],
    [
      'cannot be reached',
      (): TestAnswer => {
        throw new TypeError('fetch failed');
      },
    ],
  ])('%s for several tokens in a row: it is left alone for a while', async (_what, answer) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { auth, issuer } = protect(answer);
    for (const token of ['a', 'b', 'c']) expect(told(await show(auth, token))).toBe(DOWN);
    await vi.waitFor(() => expect(issuer.asked).toHaveLength(5));
    await new Promise(setImmediate);
    for (const token of ['d', 'a']) expect(told(await show(auth, token))).toBe(DOWN);
    // Three tokens of callers, and one that no caller has sent.
    expect(tokensOf(issuer).slice(0, 3)).toEqual(['a', 'b', 'c']);
    expect(tokensOf(issuer)).toHaveLength(4);
    issuer.pages.set('/introspect', () => ({ status: 200, body: active() }));
    vi.advanceTimersByTime(9_999);
    expect(told(await show(auth, 'd'))).toBe(DOWN);
    vi.advanceTimersByTime(2);
    expect(told(await show(auth, 'd'))).toBe(IN);
  });

  test('stays out of order for new tokens, while tokens that were good within a minute stay good', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { auth, issuer } = protect(({ body }) => ({
      status: 200,
      body: active({ exp: body.endsWith('short') ? now() + 20 : undefined }),
    }));
    for (const token of ['good', 'short']) expect(told(await show(auth, token))).toBe(IN);
    issuer.pages.set('/introspect', () => ({ status: 502 }));
    for (const token of ['a', 'b', 'c']) expect(told(await show(auth, token))).toBe(DOWN);
    await vi.waitFor(() => expect(tokensOf(issuer).at(-1)).toBe('short'));
    await new Promise(setImmediate);
    const asked = issuer.asked.length;
    for (const token of ['good', 'short']) expect(told(await show(auth, token))).toBe(IN);
    expect(told(await show(auth, 'd'))).toBe(DOWN);
    expect(issuer.asked).toHaveLength(asked);
    // Not beyond its own end, and not for longer than a minute.
    vi.advanceTimersByTime(26_000);
    expect(told(await show(auth, 'short'))).toBe(DOWN);
    expect(told(await show(auth, 'good'))).toBe(IN);
    vi.advanceTimersByTime(35_000);
    expect(told(await show(auth, 'good'))).toBe(DOWN);
  });

  test('a token that is refused is not good any more, whatever was known of it', async () => {
    const { auth, issuer } = protect(active());
    expect(told(await show(auth, 'opaque'))).toBe(IN);
    issuer.pages.set('/introspect', () => ({ status: 200, body: { active: false } }));
    expect(told(await show(auth, 'opaque'))).toBe(refused('The token is not valid'));
    issuer.pages.set('/introspect', () => ({ status: 500 }));
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    vi.advanceTimersByTime(6000);
    expect(told(await show(auth, 'opaque'))).toBe(DOWN);
  });

  test.each([500, 502, 503, 400, 413, 422, 401, 403, 404, 429, 302])(
    'answers %i to odd tokens: any number of them does not keep it from being asked about others',
    async (status) => {
      const answer = ({ body }: Asked): TestAnswer =>
        body.includes('token=odd') ? { status, body: { error: 'odd' } } : { status: 200, body: active() };
      const { auth } = protect(answer);
      for (let n = 0; n < 10; n++) {
        await Promise.all(Array.from({ length: 3 }, (_, more) => show(auth, `odd-${n}-${more}`)));
        await new Promise(setImmediate);
        expect(told(await show(auth, `new-${n}`))).toBe(IN);
      }
    },
  );

  test.each([
    ['says that the request is bad', { status: 400, body: { error: 'invalid_request' } }],
    ['says that the token is too long', { status: 413 }],
    ['says that the token cannot be processed', { status: 422, body: 'nonsense' }],
  ])('%s: the token is not valid, and it is not asked again at once', async (_what, answer) => {
    const { auth, issuer, errors } = protect(() => answer);
    for (let n = 0; n < 3; n++) expect(told(await show(auth, 'odd'))).toBe(refused('The token is not valid'));
    expect(pathsOf(issuer)).toEqual([METADATA, '/introspect']);
    expect(errors).toEqual([]);
  });

  test.each([
    ['does not know this server', { status: 401, body: { error: 'invalid_client' } }],
    ['does not know this server, by 400', { status: 400, body: { error: 'invalid_client' } }],
    ['does not allow this server to ask', { status: 403, body: { error: 'access_denied' } }],
    ['is asked too often', { status: 429 }],
    ['answers with a page', { status: 200, body: '<html>' }],
  ])('%s: callers get 503, the operator is told, and there is no pause', async (_what, answer) => {
    const { auth, issuer, errors } = protect(() => answer);
    for (const token of ['a', 'b', 'c', 'd']) expect(told(await show(auth, token))).toBe(DOWN);
    expect(errors).toHaveLength(1);
    expect(tokensOf(issuer)).toEqual(['a', 'b', 'c', 'd']);
    issuer.pages.set('/introspect', () => ({ status: 200, body: active() }));
    expect(told(await show(auth, 'e'))).toBe(IN);
  });

  test('says too much of a token', async () => {
    const { auth, errors } = protect(active({ much: 'x'.repeat(64 * 1024) }));
    expect(told(await show(auth, 'opaque'))).toBe(DOWN);
    expect(errors[0]?.message).toContain('the answer has more than 65536 bytes');
  });

  test('about one token is asked about the others', async () => {
    const poison = ({ body }: Asked): TestAnswer =>
      body.endsWith('token=poison') ? { status: 500 } : { status: 200, body: active() };
    const { auth } = protect(poison);
    for (let n = 0; n < 20; n++) expect(told(await show(auth, 'poison'))).toBe(DOWN);
    expect(told(await show(auth, 'good'))).toBe(IN);
  });

  test('about some tokens now and then is asked about the others', async () => {
    const poison = ({ body }: Asked): TestAnswer =>
      body.includes('token=poison') ? { status: 500 } : { status: 200, body: active() };
    const { auth } = protect(poison);
    for (let n = 0; n < 6; n++) {
      expect(told(await show(auth, `poison-${n}`))).toBe(DOWN);
      expect(told(await show(auth, 'good'))).toBe(IN);
    }
  });

  test('heals', async () => {
    let isDown = true;
    const { auth } = protect(() => (isDown ? { status: 503 } : { status: 200, body: active() }));
    expect(told(await show(auth, 'opaque'))).toBe(DOWN);
    isDown = false;
    expect(told(await show(auth, 'opaque'))).toBe(IN);
  });

  test('and what is thrown of it holds neither token nor secret', async () => {
    const { auth, errors } = protect(() => ({
      status: 500,
      body: { error: 'x', token: 'opaque', secret: 's3cret:/' },
    }));
    await show(auth, 'opaque');
    const { inspect } = await import('node:util');
    const shown = inspect([errors, auth], { depth: 10, showHidden: true });
    for (const secret of ['opaque', 's3cret']) expect(shown).not.toContain(secret);
  });
});

test.each([
  [{ clientId: '' }, 'The option "clientId"'],
  [{ clientSecret: undefined }, 'One of the options "clientSecret" and "privateKey"'],
  [{ privateKey: {} }, 'One of the options "clientSecret" and "privateKey"'],
  [{ clientSecret: '' }, 'The option "clientSecret"'],
  [{ clientSecret: undefined, privateKey: { kty: 'EC', alg: 'ES256' } }, 'The option "privateKey"'],
  [{ clientAuthMethod: 'tls' as never }, 'The option "clientAuthMethod"'],
  [{ cacheMs: -1 }, 'The option "cacheMs"'],
  [{ cacheMs: Number.POSITIVE_INFINITY }, 'The option "cacheMs"'],
  [{ cacheMs: 300_001 }, 'The option "cacheMs"'],
  [{ issuer: `${ISSUER}/.well-known/openid-configuration` }, 'The option "issuer" must be the issuer'],
  [{ endpoint: 'x' }, 'The option "endpoint"'],
  [{ issuer: 'x' }, 'The option "issuer"'],
] satisfies readonly (readonly [Partial<IntrospectOptions>, string])[])(
  '%j is a TypeError that names the option',
  (options, message) => {
    expect(() => protect(active(), options)).toThrow(TypeError);
    expect(() => protect(active(), options)).toThrow(message);
  },
);
