import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ISSUER,
  makeIssuer,
  makeKey,
  pathsOf,
  RESOURCE,
  show,
  sign,
  type TestIssuer,
  type TestKey,
  told,
} from '../../../test/auth-server/issuer.ts';
import { AuthError } from '../errors.ts';
import { type JwtOptions, jwt } from './jwt.ts';
import type { ResourceAuth } from './resource.ts';

const METADATA = '/.well-known/oauth-authorization-server';
const DOWN = '503 {"Retry-After":"10"}';
const IN = 'let in: alice';

let [one, two]: TestKey[] = [];
beforeAll(async () => {
  [one, two] = await Promise.all([makeKey('one'), makeKey('two')]);
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function protect(options: Partial<JwtOptions> = {}): { auth: ResourceAuth; issuer: TestIssuer; errors: Error[] } {
  const issuer = makeIssuer();
  const errors: Error[] = [];
  issuer.keys = [keyOne().jwk];
  const onError = (error: Error): void => void errors.push(error);
  return {
    auth: jwt({ issuer: ISSUER, resource: RESOURCE, fetch: issuer.fetch, onError, ...options }),
    issuer,
    errors,
  };
}

const keyOne = (): TestKey => one as TestKey;
const keyTwo = (): TestKey => two as TestKey;
const signed = (key: TestKey, kid?: string): Promise<string> => sign(key, {}, kid === undefined ? {} : { kid });

test('nothing is fetched before the first token; then the metadata and the keys, once', async () => {
  const { auth, issuer } = protect();
  await show(auth, undefined);
  expect(pathsOf(issuer)).toEqual([]);
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => sign(keyOne(), { jti: String(n) })));
  const outcomes = await Promise.all(tokens.map((token) => show(auth, token)));
  expect(outcomes.map(told)).toEqual(tokens.map(() => IN));
  expect(pathsOf(issuer)).toEqual([METADATA, '/jwks']);
});

test('where the keys are can be said', async () => {
  const { auth, issuer } = protect({ jwksUri: 'https://keys.example.com/jwks' });
  expect(told(await show(auth, await signed(keyOne())))).toBe(IN);
  expect(pathsOf(issuer)).toEqual(['/jwks']);
});

test('200 tokens with unknown keys do not have the keys fetched 200 times', async () => {
  const { auth, issuer } = protect();
  const tokens = await Promise.all(Array.from({ length: 200 }, (_, n) => signed(keyTwo(), `kid-${n}`)));
  const [first = '', ...others] = tokens;
  expect(told(await show(auth, first))).toMatch(/^401 .*error="invalid_token"/);
  for (const token of others.slice(0, 100)) expect(told(await show(auth, token))).toMatch(/^401 /);
  await Promise.all(others.slice(100).map((token) => show(auth, token)));
  expect(pathsOf(issuer)).toEqual([METADATA, '/jwks']);
  vi.advanceTimersByTime(10_001);
  for (const token of tokens) await show(auth, token);
  expect(pathsOf(issuer)).toEqual([METADATA, '/jwks', '/jwks']);
});

test('a new key is found when the first token comes that is signed with it', async () => {
  const { auth, issuer } = protect();
  await show(auth, await signed(keyOne()));
  issuer.keys = [keyTwo().jwk];
  vi.advanceTimersByTime(10_001);
  expect(told(await show(auth, await signed(keyTwo())))).toBe(IN);
  expect(told(await show(auth, await sign(keyOne(), { jti: 'x' })))).toMatch(/^401 /);
});

test('a key that was withdrawn is not used for long', async () => {
  const { auth, issuer } = protect();
  const tokens = await Promise.all([1, 2, 3].map((jti) => sign(keyOne(), { jti, exp: Date.now() / 1000 + 3600 })));
  await show(auth, tokens[0]);
  issuer.keys = [keyTwo().jwk];
  vi.advanceTimersByTime(10 * 60_000 + 1);
  // This one has them fetched; nobody waits for that.
  expect(told(await show(auth, tokens[1]))).toBe(IN);
  await vi.waitFor(() => expect(pathsOf(issuer)).toEqual([METADATA, '/jwks', '/jwks']));
  expect(told(await show(auth, tokens[2]))).toMatch(/^401 /);
});

describe('while the authorization server is down', () => {
  test('nobody is told why but the operator, and it is not asked again and again', async () => {
    const { auth, issuer, errors } = protect();
    issuer.pages.clear();
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, n) => sign(keyOne(), { jti: String(n) })));
    expect(new Set((await Promise.all(tokens.map((token) => show(auth, token)))).map(told))).toEqual(new Set([DOWN]));
    for (const token of tokens)
      expect(await show(auth, token)).toEqual({
        status: 503,
        headers: { 'Retry-After': '10' },
        message: 'Tokens cannot be checked at the moment',
      });
    expect(pathsOf(issuer)).toEqual([METADATA, '/.well-known/openid-configuration']);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(AuthError);
    expect(errors[0]?.message).toBe(
      `The "jwks_uri" of the authorization server https://auth.example.com was not found
What was tried:
  authorization server metadata, https://auth.example.com/.well-known/oauth-authorization-server, status 404: not 200
  authorization server metadata, https://auth.example.com/.well-known/openid-configuration, status 404: not 200`,
    );
  });

  test('it is tried again after a while, and heals', async () => {
    const { auth, issuer } = protect();
    const jwks = issuer.pages.get('/jwks') as () => { status: number };
    issuer.pages.set('/jwks', () => ({ status: 500 }));
    const token = await signed(keyOne());
    expect(told(await show(auth, token))).toBe(DOWN);
    issuer.pages.set('/jwks', jwks);
    expect(told(await show(auth, token))).toBe(DOWN);
    vi.advanceTimersByTime(10_001);
    expect(told(await show(auth, token))).toBe(IN);
    // The keys may have moved, so it was looked up again.
    expect(pathsOf(issuer)).toEqual([METADATA, '/jwks', METADATA, '/jwks']);
  });

  test('keys that are known are good for an hour', async () => {
    const { auth, issuer, errors } = protect();
    const long = { exp: Date.now() / 1000 + 7200 };
    const tokens = await Promise.all([1, 2, 3].map((jti) => sign(keyOne(), { jti, ...long })));
    await show(auth, tokens[0]);
    issuer.pages.clear();
    vi.advanceTimersByTime(59 * 60_000);
    expect(told(await show(auth, tokens[1]))).toBe(IN);
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    vi.advanceTimersByTime(60_001);
    expect(told(await show(auth, tokens[2]))).toBe(DOWN);
  });

  test('whether an unknown key exists cannot be said, and those who use a known one do not notice', async () => {
    const { auth, issuer } = protect();
    await show(auth, await signed(keyOne()));
    issuer.pages.clear();
    vi.advanceTimersByTime(10_001);
    expect(told(await show(auth, await signed(keyTwo())))).toBe(DOWN);
    expect(told(await show(auth, await sign(keyOne(), { jti: 'x' })))).toBe(IN);
  });
});

describe('what is no key set is an outage, asked for once', () => {
  test.each([
    ['no JSON', '<html>', 'the answer is no JSON object'],
    ['no object', '[]', 'the answer is no JSON object'],
    ['no keys', '{}', 'the answer is no key set'],
    ['keys that are no objects', '{"keys":[1]}', 'the answer is no key set'],
    ['more than 1 MiB', `{"keys":[],"x":"${'x'.repeat(1024 * 1024)}"}`, 'the answer has more than 1048576 bytes'],
  ])('%s', async (_what, body, outcome) => {
    const { auth, issuer, errors } = protect();
    issuer.pages.set('/jwks', () => ({ status: 200, body }));
    for (let n = 0; n < 5; n++) expect(told(await show(auth, await signed(keyOne())))).toBe(DOWN);
    expect(pathsOf(issuer)).toEqual([METADATA, '/jwks']);
    expect(errors.map(({ message }) => message.split('\n').at(-1))).toEqual([
      expect.stringMatching(new RegExp(`^ {2}keys, https://auth.example.com/jwks.*: ${outcome}$`)),
    ]);
  });

  test('a redirect', async () => {
    const { auth, issuer, errors } = protect();
    issuer.pages.set('/jwks', () => ({ status: 302, headers: { location: 'https://auth.example.com/other' } }));
    expect(told(await show(auth, await signed(keyOne())))).toBe(DOWN);
    expect(pathsOf(issuer)).toEqual([METADATA, '/jwks']);
    expect(errors[0]?.message).toContain('https://auth.example.com/jwks, status 302: redirects are not followed');
  });
});
