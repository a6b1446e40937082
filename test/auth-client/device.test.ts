/** A code that is typed on another device: shown, asked about in time, and given up. */

import { type DeviceCode, type DeviceCodeOptions, deviceCode } from 'mcpp/auth/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type Answer,
  AS,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  MCP,
  METADATA,
  metadataOf,
  PRM,
  type Table,
  tokens,
  world,
} from './world.ts';

const TOKEN = `POST ${AS}/token`;
const DEVICE = `POST ${AS}/device`;
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const given = {
  device_code: 'device-secret',
  user_code: 'ABCD-EFGH',
  verification_uri: `${AS}/activate`,
  verification_uri_complete: `${AS}/activate?code=ABCD-EFGH`,
  expires_in: 60,
  interval: 5,
};

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const refusal = (error: string): Answer => ({ status: 400, json: { error } });

/** A flow that has shown its code; each question is answered with the next of these. */
async function shown(
  answers: readonly (Answer | 'tokens')[],
  more: Table = {},
  options: Partial<DeviceCodeOptions> = {},
) {
  const left = [...answers];
  const asked: number[] = [];
  const scene = world({ [DEVICE]: { json: given } }, more, {
    [TOKEN]: (request) => {
      asked.push(Date.now());
      const answer = left.shift();
      return answer === 'tokens' || answer === undefined ? tokens(1, request) : answer;
    },
  });
  const connection = connectionTo();
  const start = Date.now();
  const { outcome, code } = await new Promise<{ outcome: Promise<unknown>; code: DeviceCode }>((resolve, reject) => {
    const onCode = (one: DeviceCode): void => queueMicrotask(() => resolve({ outcome: entering, code: one }));
    const auth = deviceCode({ fetch: scene.fetch, store: scene.store, onCode, ...options });
    const entering = enter(auth.authorizer(connection), letsIn('access-1'));
    entering.catch(reject);
  });
  outcome.catch(() => {});
  // Seconds after the code was shown.
  return { ...scene, connection, outcome, code, seconds: () => asked.map((time) => (time - start) / 1000) };
}

test('the code is shown, and asked about until it is confirmed', async () => {
  const pending = refusal('authorization_pending');
  const scene = await shown([pending, pending, 'tokens']);
  const { code, outcome, connection, seconds, lines, to } = scene;
  expect(code).toEqual({
    userCode: 'ABCD-EFGH',
    verificationUri: `${AS}/activate`,
    verificationUriComplete: `${AS}/activate?code=ABCD-EFGH`,
    expiresAt: new Date(Date.now() + 60_000),
  });
  expect(connection.waits).toEqual({ count: 1, now: 1 });
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await outcome).toMatchObject({ status: 200, sent: { authorization: 'Bearer access-1' } });
  expect(connection.waits).toEqual({ count: 1, now: 0 });
  expect(seconds()).toEqual([5, 10, 15]);
  expect(lines()).toEqual([`GET ${PRM}`, `GET ${METADATA}`, `POST ${AS}/register`, DEVICE, TOKEN, TOKEN, TOKEN]);
  expect(to(`POST ${AS}/register`)[0]?.fields).toMatchObject({
    redirect_uris: [],
    application_type: 'native',
    grant_types: [GRANT, 'refresh_token'],
    response_types: [],
  });
  expect(to(DEVICE)[0]?.fields).toEqual({ client_id: 'client-1', resource: MCP });
  const question = { grant_type: GRANT, device_code: 'device-secret', client_id: 'client-1', resource: MCP };
  for (const { fields } of to(TOKEN)) expect(fields).toEqual(question);
});

test('slow_down, and whatever is only about the moment, makes it five seconds longer from then on', async () => {
  const slow = refusal('slow_down');
  const { outcome, seconds } = await shown([slow, refusal('authorization_pending'), { status: 503 }, 'tokens'], {}, {});
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await outcome).toMatchObject({ status: 200 });
  expect(seconds()).toEqual([5, 15, 25, 40]);
});

test('nobody is asked after the code has expired', async () => {
  const { outcome, seconds, connection } = await shown(
    Array.from({ length: 20 }, () => refusal('authorization_pending')),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  const error = await failureOf(outcome);
  expect(error).toMatchObject({ code: 'expired_token' });
  expect(error.message).toContain(`${AS}/device`);
  expect(seconds().at(-1)).toBe(55);
  expect(connection.waits.now).toBe(0);
});

test.each(['access_denied', 'expired_token', 'invalid_grant'])('%s ends it', async (code) => {
  const { outcome, to, kept } = await shown([refusal('authorization_pending'), refusal(code)]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await failureOf(outcome)).toMatchObject({ code });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(to(TOKEN)).toHaveLength(2);
  expect(kept('tokens')).toEqual([]);
});

test('closing the connection ends it at once', async () => {
  const { outcome, connection, to } = await shown([refusal('authorization_pending')]);
  await vi.advanceTimersByTimeAsync(7000);
  const reason = new Error('closed');
  connection.closing.abort(reason);
  await expect(outcome).rejects.toBe(reason);
  expect(connection.waits.now).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(to(TOKEN)).toHaveLength(1);
});

test('an application that does not come to an end with showing the code keeps nobody else waiting', async () => {
  const { fetch } = world({ [DEVICE]: { json: given } });
  const shownTimes: (() => void)[] = [];
  const onCode = (): Promise<void> => new Promise((resolve) => void shownTimes.push(resolve));
  const auth = deviceCode({ fetch, onCode });
  const connection = connectionTo();
  const first = enter(auth.authorizer(connection), letsIn('access-1'));
  await vi.waitUntil(() => shownTimes.length === 1);
  const reason = new Error('closed');
  connection.closing.abort(reason);
  await expect(first).rejects.toBe(reason);
  expect(connection.waits.now).toBe(0);
  const second = enter(auth.authorizer(connectionTo()), letsIn('access-1'));
  await vi.waitUntil(() => shownTimes.length === 2);
  shownTimes[1]?.();
  await vi.advanceTimersByTimeAsync(5000);
  expect(await second).toMatchObject({ status: 200 });
});

test('what the application fails with when it shows the code is the error', async () => {
  const { fetch, to } = world({ [DEVICE]: { json: given } });
  const onCode = (): never => {
    throw new Error('no screen');
  };
  await expect(enter(deviceCode({ fetch, onCode }).authorizer(connectionTo()), letsIn())).rejects.toThrow('no screen');
  expect(to(TOKEN)).toEqual([]);
});

test('a client that was registered beforehand is not registered, and shows its secret', async () => {
  const options = { clientId: 'tv', clientSecret: 'sesame', issuer: AS, scopes: ['watch'] };
  const { outcome, to, lines } = await shown(['tokens'], {}, options);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await outcome).toMatchObject({ status: 200 });
  expect(lines()).not.toContain(`POST ${AS}/register`);
  for (const asked of [...to(DEVICE), ...to(TOKEN)])
    expect(asked.headers['authorization']).toBe(`Basic ${btoa('tv:sesame')}`);
  expect(to(DEVICE)[0]?.fields).toMatchObject({ scope: 'watch', resource: MCP });
});

test.each<[string, Table, string]>([
  [
    'an authorization server without it',
    { [`GET ${METADATA}`]: { json: metadataOf(AS, { device_authorization_endpoint: undefined }) } },
    'endpoint_missing',
  ],
  ['a redirect', { [DEVICE]: { status: 307, headers: { location: `${AS}/elsewhere` } } }, 'redirected'],
  [
    'a page that no person should open',
    { [DEVICE]: { json: { ...given, verification_uri: 'javascript:alert(1)' } } },
    'invalid_response',
  ],
  ['a refusal', { [DEVICE]: refusal('unauthorized_client') }, 'unauthorized_client'],
])('%s is an error, and no code is shown', async (_name, table, code) => {
  const { fetch, lines } = world({ [DEVICE]: { json: given } }, table);
  const onCode = vi.fn();
  const error = await failureOf(enter(deviceCode({ fetch, onCode }).authorizer(connectionTo()), letsIn()));
  expect(error.code).toBe(code);
  expect(error.message).toContain(METADATA);
  expect(onCode).not.toHaveBeenCalled();
  expect(lines()).not.toContain(TOKEN);
  expect(lines().some((line) => line.includes('elsewhere'))).toBe(false);
});
