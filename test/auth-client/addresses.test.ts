/** Where nothing is sent: private networks, other origins, pages that are none; and what is not waited for. */

import { oauth } from 'mcpp/auth/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  AS,
  type Asked,
  authorizationServer,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  METADATA,
  metadataOf,
  PRM,
  refused,
  resourceOf,
  type Table,
  tokens,
  world,
} from './world.ts';

afterEach(() => {
  vi.useRealTimers();
});

const PRIVATE = [
  'https://169.254.169.254',
  'http://169.254.169.254',
  'https://10.0.0.1',
  'https://[::1]',
  'http://0x7f000001',
  'https://[::ffff:10.0.0.1]',
  'https://[::ffff:169.254.169.254]',
  'https://metadata.google.internal',
  'https://localhost:8443',
];

/** What a world fails with, and what was asked of those who are not our server. */
async function failing(table: Table, challenge = 'Bearer') {
  const { options, asked, pages } = world(table);
  const error = await failureOf(enter(oauth(options).authorizer(connectionTo()), () => refused(challenge)));
  return { error, lines: asked.map(({ line }) => line), pages };
}

describe.each(PRIVATE)('%s', (address) => {
  test('is not asked for metadata of the server', async () => {
    const { error, lines } = await failing({}, `Bearer resource_metadata="${address}/metadata"`);
    expect(error).toMatchObject({ code: 'forbidden_address', isRetryable: false });
    expect(lines).toEqual([]);
  });

  test('is not asked for metadata of an authorization server', async () => {
    const { error, lines } = await failing({ [`GET ${PRM}`]: { json: resourceOf([address]) } });
    expect(error).toMatchObject({ code: 'forbidden_address' });
    expect(lines).toEqual([`GET ${PRM}`]);
  });

  test.each(['token_endpoint', 'registration_endpoint'])('is no %s', async (endpoint) => {
    const metadata = metadataOf(AS, { [endpoint]: `${address}/there` });
    const { error, lines } = await failing({ [`GET ${METADATA}`]: { json: metadata } });
    expect(error).toMatchObject({ code: 'forbidden_address' });
    expect(lines.filter((line) => line.includes(new URL(address).host))).toEqual([]);
  });
});

describe('a server on this machine', () => {
  const LOCAL = 'http://127.0.0.1:3000/mcp';
  const ISSUER = 'http://127.0.0.1:4000';
  const local: Table = {
    'GET http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp': {
      json: resourceOf([ISSUER], { resource: LOCAL }),
    },
    ...authorizationServer(ISSUER),
  };

  test('may have an authorization server on this machine', async () => {
    const { options, lines } = world(local);
    const authorizer = oauth(options).authorizer(connectionTo(LOCAL));
    const { status } = await enter(authorizer, letsIn('access-127.0.0.1-1'), new URL(LOCAL));
    expect(status).toBe(200);
    expect(lines()).toHaveLength(4);
  });

  test('may not send us to where clouds give away credentials', async () => {
    const { options, lines } = world(local);
    const authorizer = oauth(options).authorizer(connectionTo(LOCAL));
    const guard = () => refused('Bearer resource_metadata="http://169.254.169.254/latest"');
    expect(await failureOf(enter(authorizer, guard, new URL(LOCAL)))).toMatchObject({ code: 'forbidden_address' });
    expect(lines()).toEqual([]);
  });
});

describe('a server in a private network', () => {
  const OWN = 'http://10.0.0.5/mcp';
  const named = (issuer: string): Table => ({
    'GET http://10.0.0.5/.well-known/oauth-protected-resource/mcp': {
      json: resourceOf([issuer], { resource: OWN }),
    },
    ...authorizationServer(issuer),
  });

  test('may have an authorization server in a private network', async () => {
    const { options } = world(named('https://10.0.0.6:4000'));
    const authorizer = oauth(options).authorizer(connectionTo(OWN));
    expect(await enter(authorizer, letsIn('access-10.0.0.6-1'), new URL(OWN))).toMatchObject({ status: 200 });
  });

  const FORBIDDEN = [
    'http://127.0.0.1:9200',
    'http://localhost:9200',
    'http://[::1]:9200',
    'http://[::ffff:127.0.0.1]:9200',
    'http://100.100.100.200',
    'http://[fd00:ec2::254]',
    'http://192.0.0.192',
    'http://169.254.169.254',
    'http://metadata.google.internal',
  ];

  test.each(FORBIDDEN)('does not lead to %s, as an authorization server or as an endpoint of one', async (address) => {
    const issuer = 'http://10.0.0.6:4000';
    const metadata = { json: metadataOf(issuer, { registration_endpoint: `${address}/register` }) };
    for (const table of [
      named(address),
      { ...named(issuer), [`GET ${issuer}/.well-known/oauth-authorization-server`]: metadata },
    ]) {
      const { options, lines } = world(table);
      const authorizer = oauth(options).authorizer(connectionTo(OWN));
      const error = await failureOf(enter(authorizer, () => refused(), new URL(OWN)));
      expect(error).toMatchObject({ code: 'forbidden_address' });
      expect(lines().filter((line) => line.includes(new URL(address).host))).toEqual([]);
    }
  });

  test('leads to an authorization server on this machine if that was configured', async () => {
    const issuer = 'http://localhost:4000';
    const { options } = world(named(issuer));
    const authorizer = oauth({ ...options, issuer, clientId: 'c' }).authorizer(connectionTo(OWN));
    expect(await enter(authorizer, letsIn('access-localhost-1'), new URL(OWN))).toMatchObject({ status: 200 });
  });
});

test('metadata that a challenge names at another origin is not fetched', async () => {
  for (const origin of ['https://evil.example.com', 'http://mcp.example.com', 'https://mcp.example.com:8443']) {
    const { error, lines } = await failing({}, `Bearer resource_metadata="${origin}/metadata"`);
    expect(error).toMatchObject({ code: 'forbidden_address', isRetryable: false });
    expect(error.message).toContain("it must be at the server's own origin, https://mcp.example.com");
    expect(lines).toEqual([]);
  }
});

test('a public server without TLS gets no token: none is asked for, and none that is kept is sent', async () => {
  const url = 'http://mcp.example.com/mcp';
  const { options, lines, store } = world();
  const first = await failureOf(enter(oauth(options).authorizer(connectionTo(url)), letsIn(), new URL(url)));
  expect(first).toMatchObject({ code: 'insecure_transport' });
  expect(first.message).toContain('https');
  const at = { issuer: AS, resource: url, clientId: 'c' };
  await store.set(JSON.stringify(['server', url, 'oauth', 'c']), at);
  const kept = { accessToken: 'access-kept', tokenType: 'bearer', scopes: [], source: 'grant' };
  await store.set(JSON.stringify(['tokens', AS, url, 'c', url, 'oauth', 'c']), kept);
  const authorizer = oauth({ ...options, clientId: 'c' }).authorizer(connectionTo(url));
  const headers = Promise.resolve(authorizer.headers({ method: 'POST', url: new URL(url) }));
  expect(await failureOf(headers)).toMatchObject({ code: 'insecure_transport' });
  expect(lines()).toEqual([]);
});

describe('a redirect', () => {
  const to = (location: string, status = 302) => ({ status, headers: { location } });

  test.each([
    ['protected resource metadata', PRM],
    ['authorization server metadata', METADATA],
  ])('of %s to another origin is not followed', async (_what, url) => {
    const { error, lines } = await failing({ [`GET ${url}`]: to('https://evil.example.com/metadata') });
    expect(error).toMatchObject({ code: 'redirect_refused' });
    expect(lines.at(-1)).toBe(`GET ${url}`);
  });

  test('of metadata within its origin is followed three times', async () => {
    const { options, lines } = world({
      [`GET ${METADATA}`]: to('/a'),
      [`GET ${AS}/a`]: to('/b', 301),
      [`GET ${AS}/b`]: to(`${AS}/c`, 307),
      [`GET ${AS}/c`]: { json: metadataOf(AS) },
    });
    await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'));
    expect(lines().slice(1, 5)).toEqual([`GET ${METADATA}`, `GET ${AS}/a`, `GET ${AS}/b`, `GET ${AS}/c`]);
  });

  test('and not a fourth time, nor to nowhere', async () => {
    const round = await failing({ [`GET ${METADATA}`]: to(METADATA) });
    expect(round.error).toMatchObject({ code: 'redirected' });
    expect(round.lines.slice(1)).toEqual(Array.from({ length: 4 }, () => `GET ${METADATA}`));
    const nowhere = await failing({ [`GET ${METADATA}`]: { status: 302 } });
    expect(nowhere.error).toMatchObject({ code: 'redirect_refused' });
  });

  test.each(['register', 'token'])('of the %s endpoint is not followed, not even within its origin', async (name) => {
    for (const location of [`${AS}/elsewhere`, 'https://evil.example.com/']) {
      const { error, lines } = await failing({ [`POST ${AS}/${name}`]: to(location, 307) });
      expect(error).toMatchObject({ code: 'redirected' });
      expect(lines.at(-1)).toBe(`POST ${AS}/${name}`);
    }
  });

  test('of a refresh is not followed, and the token is kept', async () => {
    const { options, change, lines, kept } = world();
    const authorizer = oauth(options).authorizer(connectionTo());
    await enter(authorizer, letsIn('access-1'));
    const before = kept('tokens');
    change({ [`POST ${AS}/token`]: to('https://evil.example.com/', 308) });
    expect(await failureOf(enter(authorizer, letsIn('never')))).toMatchObject({ code: 'redirected' });
    expect(lines().some((line) => line.includes('evil'))).toBe(false);
    expect(kept('tokens')).toEqual(before);
  });
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  'vbscript:x',
  'http://auth.example.com/authorize',
  'http://10.0.0.1/authorize',
  'https://user:hunter2@auth.example.com/authorize',
  '$(calc)',
])('nobody is sent to %s', async (endpoint) => {
  const metadata = metadataOf(AS, { authorization_endpoint: endpoint });
  const { error, lines, pages } = await failing({ [`GET ${METADATA}`]: { json: metadata } });
  expect(['invalid_response', 'forbidden_url']).toContain(error.code);
  expect(error.message).toContain('authorization_endpoint');
  expect(error.message).not.toContain('hunter2');
  expect(pages).toEqual([]);
  expect(lines).not.toContain(`POST ${AS}/token`);
});

describe('an answer', () => {
  test('that is too large is not read to its end', async () => {
    const { error } = await failing({ [`GET ${PRM}`]: { json: { resource: 'x'.repeat(1024 * 1024) } } });
    expect(error).toMatchObject({ code: 'too_large' });
  });

  test('that is a page or not JSON is not taken for metadata', async () => {
    const page = { text: '{}', headers: { 'content-type': 'text/plain' } };
    const { error, pages } = await failing({ [`GET ${METADATA}`]: page });
    expect(error).toMatchObject({ code: 'not_json' });
    expect(pages).toEqual([]);
  });

  test('that does not come within ten seconds is not waited for', async () => {
    vi.useFakeTimers();
    const { options, change } = world();
    const asked = new Promise<void>((resolve) => {
      change({
        [`GET ${PRM}`]: () => {
          resolve();
          return new Promise(() => {});
        },
      });
    });
    const failure = failureOf(enter(oauth(options).authorizer(connectionTo()), letsIn('access-1')));
    await asked;
    vi.advanceTimersByTime(10_000);
    expect(await failure).toMatchObject({ code: 'timeout', isRetryable: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('of a server that fails leads on to the other places, and is an error that passes', async () => {
    const { error, lines } = await failing({ [`GET ${METADATA}`]: { status: 503 } });
    expect(error).toMatchObject({ isRetryable: true });
    expect(lines.slice(1)).toEqual([`GET ${METADATA}`, `GET ${AS}/.well-known/openid-configuration`]);

    const { options } = world({
      [`GET ${METADATA}`]: { status: 500 },
      [`GET ${AS}/.well-known/openid-configuration`]: { json: metadataOf(AS) },
      [`POST ${AS}/token`]: (asked: Asked) => tokens(1, asked),
    });
    expect(await enter(oauth(options).authorizer(connectionTo()), letsIn('access-1'))).toMatchObject({ status: 200 });
  });
});
