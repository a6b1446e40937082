import { inspect } from 'node:util';
import { calculatePKCECodeChallenge } from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { AuthError } from '../errors.ts';
import {
  type AuthorizationOptions,
  beginAuthorization,
  type PendingAuthorization,
  readCallback,
} from './authorization.ts';
import type { ServerMetadata } from './server-metadata.ts';

const AS: ServerMetadata = {
  issuer: 'https://as.example/tenant',
  authorization_endpoint: 'https://as.example/authorize',
  token_endpoint: 'https://as.example/token',
  code_challenge_methods_supported: ['S256'],
};
const OPTIONS: AuthorizationOptions = {
  clientId: 'app',
  redirectUri: 'http://127.0.0.1:5000/cb',
  resource: 'https://mcp.example/mcp',
  scopes: ['files:read', 'files:write'],
};
const PENDING: PendingAuthorization = {
  issuer: AS.issuer,
  issParameterSupported: false,
  state: 'the-state',
  verifier: 'the-verifier',
  clientId: 'app',
  redirectUri: OPTIONS.redirectUri,
  scopes: [],
};

function failure(pending: PendingAuthorization, query: Record<string, string> | string): AuthError {
  try {
    readCallback(pending, new URLSearchParams(query));
  } catch (error) {
    if (error instanceof AuthError) return error;
    throw error;
  }
  throw new Error('the callback was accepted');
}

describe('the request', () => {
  test('has a challenge, a state, the resource, the scopes and where to come back to', async () => {
    const { url, pending } = await beginAuthorization(AS, OPTIONS);
    const challenge = await calculatePKCECodeChallenge(pending.verifier);
    expect(url.href).toBe(
      'https://as.example/authorize?response_type=code&client_id=app&redirect_uri=http%3A%2F%2F127.0.0.1%3A5000%2Fcb' +
        `&state=${pending.state}&code_challenge=${challenge}&code_challenge_method=S256` +
        '&resource=https%3A%2F%2Fmcp.example%2Fmcp&scope=files%3Aread+files%3Awrite',
    );
    expect(JSON.parse(JSON.stringify(pending))).toEqual({
      issuer: 'https://as.example/tenant',
      issParameterSupported: false,
      state: expect.stringMatching(/^[\w-]{43}$/),
      verifier: expect.stringMatching(/^[\w-]{43}$/),
      clientId: 'app',
      redirectUri: 'http://127.0.0.1:5000/cb',
      resource: 'https://mcp.example/mcp',
      scopes: ['files:read', 'files:write'],
    });
    expect(url.href).not.toContain(pending.verifier);
    const another = await beginAuthorization(AS, OPTIONS);
    expect(another.pending.state).not.toBe(pending.state);
    expect(another.pending.verifier).not.toBe(pending.verifier);
  });

  test('names the resource by letter, without a slash that the server did not write', async () => {
    const { url } = await beginAuthorization(AS, { ...OPTIONS, resource: 'http://localhost:3000' });
    expect(url.searchParams.get('resource')).toBe('http://localhost:3000');
    expect(url.search).toContain('resource=http%3A%2F%2Flocalhost%3A3000&');
  });

  test('leaves out what there is not', async () => {
    const { url, pending } = await beginAuthorization(AS, { ...OPTIONS, scopes: [], resource: undefined });
    expect([...url.searchParams.keys()]).toEqual([
      'response_type',
      'client_id',
      'redirect_uri',
      'state',
      'code_challenge',
      'code_challenge_method',
    ]);
    expect(pending).not.toHaveProperty('resource');
  });

  test('keeps the query of the endpoint, and lets nobody replace what is ours', async () => {
    const endpoint = 'https://as.example/authorize?p=B2C_1_signin&client_id=evil&response_type=token#frag';
    const { url, pending } = await beginAuthorization(
      { ...AS, authorization_endpoint: endpoint },
      { ...OPTIONS, parameters: { login_hint: 'a@b.example', state: 'evil', code_challenge_method: 'plain' } },
    );
    expect(url.searchParams.get('p')).toBe('B2C_1_signin');
    expect(url.searchParams.get('login_hint')).toBe('a@b.example');
    for (const [name, value] of [
      ['client_id', 'app'],
      ['response_type', 'code'],
      ['state', pending.state],
      ['code_challenge_method', 'S256'],
    ] as const) {
      expect(url.searchParams.getAll(name)).toEqual([value]);
    }
    expect(url.hash).toBe('');
  });

  test('asks for consent along with offline access, unless it is told otherwise', async () => {
    const scopes = ['a', 'offline_access'];
    const asking = await beginAuthorization(AS, { ...OPTIONS, scopes });
    expect(asking.url.searchParams.get('prompt')).toBe('consent');
    const told = await beginAuthorization(AS, { ...OPTIONS, scopes, parameters: { prompt: 'login' } });
    expect(told.url.searchParams.get('prompt')).toBe('login');
  });

  test('binds the code to a key', async () => {
    const { url } = await beginAuthorization(AS, { ...OPTIONS, dpopThumbprint: 'jkt' });
    expect(url.searchParams.get('dpop_jkt')).toBe('jkt');
  });

  test('remembers whether the issuer promised to name itself', async () => {
    const { pending } = await beginAuthorization(
      { ...AS, authorization_response_iss_parameter_supported: true },
      OPTIONS,
    );
    expect(pending.issParameterSupported).toBe(true);
  });

  test.each([
    ['javascript:alert(1)', 'forbidden_url'],
    ['data:text/html,x', 'forbidden_url'],
    ['file:///etc/passwd', 'forbidden_url'],
    ['vbscript:x', 'forbidden_url'],
    ['$(calc)', 'forbidden_url'],
    ['http://as.example/authorize', 'forbidden_url'],
    ['http://10.0.0.5/authorize', 'forbidden_url'],
    ['https://user:pw@as.example/authorize', 'forbidden_url'],
    [undefined, 'endpoint_missing'],
  ])('is not sent to %s', async (authorization_endpoint, code) => {
    const { authorization_endpoint: _, ...rest } = AS;
    const as = { ...rest, ...(authorization_endpoint !== undefined && { authorization_endpoint }) };
    await expect(beginAuthorization(as, OPTIONS)).rejects.toMatchObject({ name: 'AuthError', code });
  });

  test('is a URL in which a shell finds nothing, if the endpoint has something for it', async () => {
    const as = { ...AS, authorization_endpoint: 'https://as.example/"$(calc)`x`|;<>\'?a="$(calc)`' };
    const { url } = await beginAuthorization(as, OPTIONS);
    expect(url.href).not.toMatch(/["`<>\s]/);
    expect(url.href.startsWith('https://as.example/')).toBe(true);
  });

  test('is not made without PKCE, nor with a redirect URI that others could read, nor where it would be refused', async () => {
    const { code_challenge_methods_supported: _, ...unprotected } = AS;
    await expect(beginAuthorization(unprotected, OPTIONS)).rejects.toMatchObject({ code: 'pkce_unsupported' });
    await expect(beginAuthorization(AS, { ...OPTIONS, redirectUri: 'http://app.example/cb' })).rejects.toMatchObject({
      code: 'invalid_redirect_uri',
    });
    await expect(
      beginAuthorization({ ...AS, require_pushed_authorization_requests: true }, OPTIONS),
    ).rejects.toMatchObject({
      code: 'par_unsupported',
    });
  });
});

describe('the callback', () => {
  const GOOD = { state: 'the-state', code: 'c0de' };

  test('has a code', () => {
    expect(readCallback(PENDING, new URLSearchParams(GOOD))).toEqual({ code: 'c0de' });
    expect(
      readCallback(PENDING, new URL('http://127.0.0.1:5000/cb?code=c0de&state=the-state&session_state=x')),
    ).toEqual({
      code: 'c0de',
    });
  });

  test('belongs to the request by its state, before anything else is looked at', () => {
    for (const query of [
      'code=c0de',
      'code=c0de&state=',
      'code=c0de&state=other',
      'code=c0de&state=The-State',
      'error=access_denied&error_description=evil&state=other',
      'error=access_denied&iss=https://evil.example',
    ]) {
      const error = failure(PENDING, query);
      expect(error.code).toBe('state_mismatch');
      expect(error.message).not.toMatch(/evil|access_denied|c0de/);
    }
  });

  const YES = 'advertised';
  const NO = 'not advertised';
  test.each([
    [YES, 'the issuer', AS.issuer, 'accepted'],
    [YES, 'absent', undefined, 'refused'],
    [YES, 'another', 'https://evil.example', 'refused'],
    [YES, 'empty', '', 'refused'],
    [NO, 'the issuer', AS.issuer, 'accepted'],
    [NO, 'absent', undefined, 'accepted'],
    [NO, 'another', 'https://evil.example', 'refused'],
    [NO, 'empty', '', 'refused'],
  ])('with iss %s and %s (%s) is %s', (advertised, _, iss, outcome) => {
    const pending = { ...PENDING, issParameterSupported: advertised === YES };
    const query = { ...GOOD, ...(iss !== undefined && { iss }) };
    const denied = {
      state: 'the-state',
      error: 'access_denied',
      error_description: 'evil',
      ...(iss !== undefined && { iss }),
    };
    if (outcome === 'accepted') {
      expect(readCallback(pending, new URLSearchParams(query))).toEqual({ code: 'c0de' });
      expect(failure(pending, denied).code).toBe('access_denied');
    } else {
      expect(failure(pending, query).code).toBe('issuer_mismatch');
      const error = failure(pending, denied);
      expect(error.code).toBe('issuer_mismatch');
      expect(inspect(error, { depth: 9 })).not.toMatch(/access_denied|evil/);
    }
  });

  test.each([
    'https://as.example/tenant/',
    'https://AS.example/tenant',
    'HTTPS://as.example/tenant',
    'https://as.example:443/tenant',
    'https://as.example/%74enant',
    'https://as.example/x/../tenant',
    'https://as.example/tenant#',
    ' https://as.example/tenant',
  ])('with the iss %s is of another issuer: nothing is normalised', (iss) => {
    for (const issParameterSupported of [true, false]) {
      expect(failure({ ...PENDING, issParameterSupported }, { ...GOOD, iss }).code).toBe('issuer_mismatch');
    }
  });

  test('is form-decoded once before its iss is compared', () => {
    const query = 'state=the-state&code=c0de&iss=https%3A%2F%2Fas.example%2Ftenant';
    expect(readCallback(PENDING, new URLSearchParams(query))).toEqual({ code: 'c0de' });
    expect(failure(PENDING, 'state=the-state&code=c0de&iss=https%253A%252F%252Fas.example%252Ftenant').code).toBe(
      'issuer_mismatch',
    );
  });

  test('may say that it was refused, in words that can be shown', () => {
    const error = failure(PENDING, {
      state: 'the-state',
      error: 'access_denied',
      error_description: 'The <b>user</b>\u0000\n said\u202e no. Token sEcReT-0123456789-abcdefgh',
      error_uri: 'javascript:alert(1)',
    });
    expect(error.code).toBe('access_denied');
    expect(error.message).toBe(
      'The authorization server refused: access_denied (The <b>user</b> said no. Token [...])',
    );
    expect(failure(PENDING, { state: 'the-state', error: 'access denied\u0000' }).code).toBe('unknown_error');
  });

  test.each([
    'state=the-state',
    'state=the-state&code=',
    'state=the-state&code=a&code=b',
    'state=the-state&state=the-state&code=a',
    'state=the-state&code=a&iss=https://as.example/tenant&iss=https://evil.example',
    'state=the-state&code=a&id_token=x',
    'state=the-state&code=a&response=x.y.z',
  ])('is of no use as %s', (query) => {
    expect(failure(PENDING, query).code).toBe('invalid_callback');
  });

  test('leaves no code, state or verifier in an error', () => {
    for (const query of [
      'state=x&code=c0de',
      'state=the-state&code=c0de&code=c0de',
      'state=the-state&code=c0de&iss=x',
    ]) {
      const error = failure(PENDING, query);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/c0de|the-state|the-verifier/);
    }
  });
});
