import { describe, expect, test } from 'vitest';
import { deviceRequest, readDeviceAuthorization, readDevicePoll } from './device.ts';
import type { OAuthResponse } from './exchange.ts';

const AS = {
  issuer: 'https://as.example',
  token_endpoint: 'https://as.example/token',
  device_authorization_endpoint: 'https://as.example/device',
};
const NOW = 1_000_000;
const ANSWER = {
  device_code: 'dev1ce',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://as.example/go',
  expires_in: 600,
};

const json = (body: unknown, status = 200): OAuthResponse => ({
  status,
  header: (name) => (name === 'content-type' ? 'application/json' : undefined),
  body: JSON.stringify(body),
});

test('the request has these bytes and no others', async () => {
  const asked = { scopes: ['a', 'b'], resource: 'https://mcp.example/mcp' };
  expect(await deviceRequest(AS, { clientId: 'app' }, asked)).toEqual({
    method: 'POST',
    url: new URL('https://as.example/device'),
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'client_id=app&scope=a+b&resource=https%3A%2F%2Fmcp.example%2Fmcp',
  });
  const confidential = await deviceRequest(
    AS,
    { clientId: 'app', clientSecret: 's' },
    { scopes: [], resource: undefined },
  );
  expect(confidential.headers['authorization']).toBe(`Basic ${btoa('app:s')}`);
  expect(confidential.body).toBe('client_id=app');
  const { device_authorization_endpoint: _, ...without } = AS;
  await expect(deviceRequest(without, { clientId: 'app' }, asked)).rejects.toMatchObject({
    code: 'endpoint_missing',
    message: 'The authorization server has no "device_authorization_endpoint"',
  });
});

describe('the answer', () => {
  test('says what to show and how often to ask', () => {
    expect(
      readDeviceAuthorization(
        json({ ...ANSWER, verification_uri_complete: 'https://as.example/go?user_code=WDJB-MJHT', interval: 7 }),
        NOW,
      ),
    ).toEqual({
      deviceCode: 'dev1ce',
      userCode: 'WDJB-MJHT',
      verificationUri: 'https://as.example/go',
      verificationUriComplete: 'https://as.example/go?user_code=WDJB-MJHT',
      expiresAt: NOW + 600_000,
      intervalMs: 7000,
    });
  });

  test('means 5 seconds if it does not say how often', () => {
    for (const interval of [undefined, 0, -1, 'often', null]) {
      expect(readDeviceAuthorization(json({ ...ANSWER, interval }), NOW).intervalMs).toBe(5000);
    }
    expect(readDeviceAuthorization(json({ ...ANSWER, interval: '10', expires_in: '60' }), NOW)).toMatchObject({
      intervalMs: 10_000,
      expiresAt: NOW + 60_000,
    });
  });

  test('is kept to within bounds: 1 second to 5 minutes between questions, an hour in all', () => {
    for (const [interval, intervalMs] of [
      [0.001, 1000],
      [1, 1000],
      [300, 300_000],
      [301, 300_000],
      [999_999_999, 300_000],
    ]) {
      expect(readDeviceAuthorization(json({ ...ANSWER, interval }), NOW).intervalMs).toBe(intervalMs);
    }
    for (const [expires_in, lifetime] of [
      [3600, 3_600_000],
      [3601, 3_600_000],
      [999_999_999, 3_600_000],
    ] as const) {
      expect(readDeviceAuthorization(json({ ...ANSWER, expires_in }), NOW).expiresAt).toBe(NOW + lifetime);
    }
  });

  test('may name the page as it was called before there was an RFC', () => {
    const { verification_uri, ...rest } = ANSWER;
    expect(readDeviceAuthorization(json({ ...rest, verification_url: verification_uri }), NOW).verificationUri).toBe(
      'https://as.example/go',
    );
  });

  test.each([
    { verification_uri: 'javascript:alert(1)' },
    { verification_uri: 'http://as.example/go' },
    { verification_uri: '/go' },
    { verification_uri: `https://as.example/${'x'.repeat(4096)}` },
    { verification_uri: undefined },
    { verification_uri_complete: 'file:///etc/passwd' },
    { user_code: 'A\u001b[2J' },
    { user_code: 'A'.repeat(100) },
    { user_code: undefined },
    { device_code: undefined },
    { expires_in: undefined },
  ])('is of no use with %j', (change) => {
    expect(() => readDeviceAuthorization(json({ ...ANSWER, ...change }), NOW)).toThrow(
      expect.objectContaining({ code: 'invalid_response' }),
    );
  });

  test('may be a refusal', () => {
    expect(() => readDeviceAuthorization(json({ error: 'invalid_scope' }, 400), NOW)).toThrow(
      expect.objectContaining({ code: 'invalid_scope' }),
    );
  });
});

describe('asking the token endpoint', () => {
  const poll = (body: unknown, status = 400): unknown => readDevicePoll(json(body, status), { now: NOW });

  test('gives tokens when the person is done, and until then says to go on', () => {
    expect(poll({ access_token: 'acc', token_type: 'bearer' }, 200)).toEqual({
      accessToken: 'acc',
      tokenType: 'bearer',
    });
    expect(poll({ error: 'authorization_pending' })).toBe('pending');
    expect(poll({ error: 'authorization_pending' }, 200)).toBe('pending');
    expect(poll({ error: 'slow_down' })).toBe('slow down');
  });

  test('ends when the person refuses or takes too long', () => {
    for (const code of ['access_denied', 'expired_token', 'invalid_grant']) {
      expect(() => poll({ error: code })).toThrow(expect.objectContaining({ code, isRetryable: false }));
    }
    expect(() => poll({}, 503)).toThrow(expect.objectContaining({ isRetryable: true }));
  });
});
