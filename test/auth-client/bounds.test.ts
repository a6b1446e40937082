/** How much one MCP server can make a client ask others, and how much of it is told. */

import { oauth } from 'mcpp/auth/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type Answer,
  AS,
  authorizationServer,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  METADATA,
  PRM,
  refused,
  resourceOf,
  type Table,
  world,
} from './world.ts';

afterEach(() => void vi.useRealTimers());

const issuers = (count: number) => Array.from({ length: count }, (_, index) => `https://victim.example/${index}`);
const naming = (servers: readonly string[], more: object = {}): Table => ({
  [`GET ${PRM}`]: { json: resourceOf(servers, more) },
});
const failing = async (...tables: readonly Table[]) => {
  const { options, lines } = world(...tables);
  const error = await failureOf(enter(oauth(options).authorizer(connectionTo()), () => refused()));
  return { error, lines: lines() };
};

test('a server that names 20,000 authorization servers is refused, and none of them is asked', async () => {
  const { error, lines } = await failing(naming(issuers(20_000)));
  expect(error).toMatchObject({ code: 'invalid_response', isRetryable: false });
  expect(error.message).toContain('"authorization_servers" must name at most 20, not 20000');
  expect(lines).toEqual([`GET ${PRM}`]);
});

test('of 20 authorization servers that have no metadata the first five are asked', async () => {
  const { lines } = await failing(naming(issuers(20)));
  const asked = new Set(lines.slice(1).map((line) => /\/(\d+)(?:\/|$)/.exec(line)?.[1]));
  expect([...asked]).toEqual(['0', '1', '2', '3', '4']);
  expect(lines).toHaveLength(1 + 5 * 3);
});

test('an authorization server that was configured is found among 20, wherever it is', async () => {
  const { options } = world(naming([...issuers(19), AS]));
  const auth = oauth({ ...options, issuer: AS, clientId: 'client-1' });
  expect(await enter(auth.authorizer(connectionTo()), letsIn('access-1'))).toMatchObject({ status: 200 });
});

test('redirects of metadata do not multiply without bound, and 50 steps of it are told', async () => {
  const again = ({ line }: { readonly line: string }): Answer => ({
    status: 302,
    headers: { location: line.replace('GET ', '') },
  });
  const places = issuers(20).flatMap((issuer) => {
    const { origin, pathname } = new URL(issuer);
    return [
      `GET ${origin}/.well-known/oauth-authorization-server${pathname}`,
      `GET ${origin}/.well-known/openid-configuration${pathname}`,
      `GET ${issuer}/.well-known/openid-configuration`,
    ];
  });
  const { error, lines } = await failing(
    naming(issuers(20)),
    Object.fromEntries(places.map((place) => [place, again])),
  );
  expect(lines.length).toBeLessThanOrEqual(1 + 5 * 3 * 4);
  expect(error.trace.length).toBeLessThanOrEqual(50);
  expect(error.message.length).toBeLessThan(16 * 1024);
});

test('an authorization server that does not answer in time is asked at one of its places', async () => {
  vi.useFakeTimers();
  const { options, change, lines } = world();
  const asked = new Promise<void>((resolve) => {
    change({
      [`GET ${METADATA}`]: () => {
        resolve();
        return new Promise(() => {});
      },
    });
  });
  const failure = failureOf(enter(oauth(options).authorizer(connectionTo()), () => refused()));
  await asked;
  vi.advanceTimersByTime(10_000);
  expect(await failure).toMatchObject({ code: 'timeout', isRetryable: true });
  expect(lines()).toEqual([`GET ${PRM}`, `GET ${METADATA}`]);
});

describe('text of strangers', () => {
  const HOSTILE = 'a\u001b[2Jb\u009bc\u202ed\u2066e\u2028f\r\ng\u007fh\u061ci';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

  test.each<[string, Table]>([
    [
      'an error description',
      { [`POST ${AS}/token`]: { status: 400, json: { error: 'x', error_description: HOSTILE } } },
    ],
    ['an error code', { [`POST ${AS}/token`]: { status: 400, json: { error: HOSTILE } } }],
    ['authentication methods', authorizationServer(AS, { token_endpoint_auth_methods_supported: [HOSTILE] })],
    ['DPoP algorithms', authorizationServer(AS, { dpop_signing_alg_values_supported: [HOSTILE] })],
    ['an issuer', authorizationServer(AS, { issuer: `${AS}/${HOSTILE}` })],
    ['an endpoint', authorizationServer(AS, { token_endpoint: `https://${HOSTILE}/` })],
    ['a resource', naming([AS], { resource: HOSTILE })],
    ['authorization servers', naming([`https://${HOSTILE}`])],
    ['a redirect', { [`GET ${METADATA}`]: { status: 302, headers: { location: 'https://\u009b.example/' } } }],
  ])('%s: reaches no message and no trace unescaped', async (_what, table) => {
    const { options } = world(table);
    const auth = oauth({ ...options, clientId: 'c', clientSecret: 's', issuer: AS, dpop: true });
    const error = await failureOf(enter(auth.authorizer(connectionTo()), () => refused()));
    expect(error.message).not.toMatch(RAW);
    expect(JSON.stringify(error.trace)).not.toMatch(RAW);
  });
});
