import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  ISSUER,
  makeIssuer,
  makeKey,
  now,
  RESOURCE,
  show,
  sign,
  type TestKey,
  told,
} from '../../../test/auth-server/issuer.ts';
import { introspect } from './introspect.ts';
import { type JwtOptions, jwt } from './jwt.ts';
import type { RefusedToken } from './refused.ts';
import type { ResourceAuth } from './resource.ts';
import { verifier } from './verifier.ts';

let key: TestKey;
beforeAll(async () => {
  key = await makeKey('one');
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const EXPECTED = { issuer: ISSUER, audience: [RESOURCE] };

function protect(options: Partial<JwtOptions> = {}): ResourceAuth {
  const issuer = makeIssuer();
  issuer.keys = [key.jwk];
  return jwt({ issuer: ISSUER, resource: RESOURCE, fetch: issuer.fetch, ...options });
}

/** The lines that are written to stderr from now on. */
function stderr(): string[] {
  const lines: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)));
  return lines;
}

describe('onRefused', () => {
  test('gets the reason, what was expected and what the token says, and never the token', async () => {
    const reports: RefusedToken[] = [];
    const auth = protect({ onRefused: (refused) => void reports.push(refused) });
    const exp = now() + 300;
    const audience = await sign(key, { aud: ['https://other.example.com', 'api://more'], exp });
    const expired = await sign(key, { exp: 1000, nbf: 500 });
    const issuer = await sign(key, { iss: `${ISSUER}/`, exp });
    const forged = `${(await sign(key, { exp })).split('.').slice(0, 2).join('.')}.AAAA`;
    for (const token of [audience, expired, issuer, forged, 'opaque']) await show(auth, token);
    const said = { issuer: ISSUER, audience: [RESOURCE], expiresAt: exp * 1000 };
    expect(reports).toEqual([
      {
        reason: 'audience',
        description: 'The token was not issued for this server',
        expected: EXPECTED,
        received: { ...said, audience: ['https://other.example.com', 'api://more'] },
      },
      {
        reason: 'expired',
        description: 'The token has expired',
        expected: EXPECTED,
        received: { ...said, expiresAt: 1_000_000, notBefore: 500_000 },
      },
      {
        reason: 'issuer',
        description: 'The token comes from another issuer',
        expected: EXPECTED,
        received: { ...said, issuer: `${ISSUER}/` },
      },
      {
        reason: 'signature',
        description: 'The signature of the token is not valid',
        expected: EXPECTED,
        received: said,
      },
      { reason: 'malformed', description: 'The token cannot be read', expected: EXPECTED, received: undefined },
    ]);
    const written = JSON.stringify(reports);
    for (const token of [audience, expired, issuer, forged]) {
      for (const part of token.split('.').filter((one) => one.length > 4)) expect(written).not.toContain(part);
    }
  });

  test('is not called for good tokens, for requests without one, and for tokens that lack a scope', async () => {
    const onRefused = vi.fn();
    const auth = protect({ onRefused, scopes: ['admin'] });
    expect(told(await show(auth, undefined))).toMatch(/^401 /);
    expect(told(await show(auth, await sign(key)))).toMatch(/^403 /);
    expect(told(await show(auth, await sign(key, { scope: 'admin' })))).toBe('let in: alice');
    expect(onRefused).not.toHaveBeenCalled();
  });

  test('gets every refused token; what it throws or rejects with changes no answer', async () => {
    const lines = stderr();
    const failing = vi.fn(() => {
      throw new Error('no\u001bdisk');
    });
    const auth = protect({ onRefused: failing });
    for (let tries = 0; tries < 3; tries++) expect(told(await show(auth, 'opaque'))).toMatch(/^401 /);
    expect(failing).toHaveBeenCalledTimes(3);
    expect(lines[0]).toBe('mcpp: onRefused failed: no\\u{1b}disk');
    const rejecting = protect({ onRefused: () => Promise.reject(new Error('later')) as never });
    expect(told(await show(rejecting, 'opaque'))).toMatch(/^401 /);
    await vi.waitFor(() => expect(lines.at(-1)).toBe('mcpp: onRefused failed: later'));
  });

  test('must be a function', () => {
    expect(() => protect({ onRefused: 'log' as never })).toThrow('The option "onRefused" must be a function');
  });

  test('gets bounded, escaped text of tokens that anybody can make up', async () => {
    const reports: RefusedToken[] = [];
    const auth = protect({ onRefused: (refused) => void reports.push(refused) });
    const aud = [7, ...Array.from({ length: 50 }, (_, index) => `${index}\u001b[2J${'x'.repeat(180)}`)];
    await show(auth, await sign(key, { iss: `https://evil.example.com/${'y'.repeat(400)}`, aud, exp: 1e300 }));
    const [{ received } = { received: undefined }] = reports;
    expect(received?.issuer).toHaveLength(203);
    expect(received?.audience).toHaveLength(5);
    expect(received?.audience?.[0]).toMatch(/^0\\u\{1b\}\[2Jx+$/);
  });

  test('gets what the authorization server says of a token, also from memory', async () => {
    const reports: RefusedToken[] = [];
    const issuer = makeIssuer();
    let said: object = { active: true, aud: 'https://other.example.com', sub: 'alice', exp: 4e9 };
    issuer.pages.set('/introspect', () => ({ status: 200, body: said }));
    const auth = introspect({
      issuer: ISSUER,
      resource: RESOURCE,
      clientId: 'rs',
      clientSecret: 'secret',
      fetch: issuer.fetch,
      onRefused: (refused) => void reports.push(refused),
    });
    await show(auth, 'one');
    await show(auth, 'one');
    said = { active: false, aud: 'nothing' };
    await show(auth, 'two');
    const audience = {
      reason: 'audience',
      description: 'The token was not issued for this server',
      expected: EXPECTED,
      received: { audience: ['https://other.example.com'], expiresAt: 4e12 },
    };
    const inactive = {
      reason: 'inactive',
      description: 'The token is not valid',
      expected: EXPECTED,
      received: undefined,
    };
    expect(reports).toEqual([audience, audience, inactive]);
  });

  test('is an option of verifier too, and hears of tokens without their proof', async () => {
    const reports: RefusedToken[] = [];
    const auth = verifier({
      issuer: ISSUER,
      resource: RESOURCE,
      verify: (token) => (token === 'bound' ? { subject: 'ann', claims: { cnf: { jkt: 'x' } } } : undefined),
      onRefused: (refused) => void reports.push(refused),
    });
    await show(auth, 'unknown');
    await show(auth, 'bound');
    await auth({ scheme: 'dpop', token: 'bound' }, { method: 'POST', target: '/mcp', header: () => undefined });
    expect(reports.map(({ reason, description }) => `${reason}: ${description}`)).toEqual([
      'inactive: The token is not valid',
      'bound: The token is bound to a key: it needs the scheme DPoP and a proof',
      'proof: The header DPoP must be there once, with a proof',
    ]);
  });
});

describe('without onRefused, stderr', () => {
  test('gets a line that says what was expected and what came', async () => {
    const lines = stderr();
    await show(protect(), await sign(key, { aud: 'https://other.example.com', exp: 4_000_000_000, nbf: 1 }));
    expect(lines).toEqual([
      'mcpp: A token was refused: The token was not issued for this server. Received: issuer "https://auth.example.com", ' +
        'audience "https://other.example.com", valid from 1970-01-01T00:00:01.000Z, expires 2096-10-02T07:06:40.000Z. ' +
        'Expected: issuer "https://auth.example.com", audience "https://mcp.example.com/mcp".',
    ]);
  });

  test('gets one line for each reason in a minute, and then how many more there were', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const lines = stderr();
    const auth = protect();
    for (let tries = 0; tries < 100; tries++) await show(auth, 'opaque');
    await show(auth, await sign(key, { iss: 'https://evil.example.com', exp: 1e300 }));
    expect(lines).toEqual([
      expect.stringMatching(/^mcpp: A token was refused: The token cannot be read\. Expected: [^.]*/),
      expect.stringContaining('issuer "https://evil.example.com"'),
    ]);
    expect(lines[1]).toContain('expires at no date');
    vi.setSystemTime(Date.now() + 3_600_000);
    await show(auth, 'opaque');
    expect(lines, 'the wall clock was set').toHaveLength(2);
    vi.advanceTimersByTime(60_000);
    await show(auth, 'opaque');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/ Since the last such line 100 more were refused for this reason\.$/);
  });
});
