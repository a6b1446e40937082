/** A protected server as its clients see it: statuses, challenges and header fields on the wire. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { exportSPKI, SignJWT } from 'jose';
import { type JwtOptions, jwt, protectedResource, type ResourceAuth } from 'mcpp/auth/server';
import { nodeHandler } from 'mcpp/http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { initialize, POST, stateless, statelessHeaders } from '../http/messages.ts';
import { connectTo, rawRequest } from '../http/raw.ts';
import { makeStage } from '../http/stage.ts';
import { goodClaims, listen, makeKey, now, pathsOf, sign, type TestIssuer, type TestKey } from './issuer.ts';

const list = stateless(1, 'tools/list');

interface Protected {
  readonly auth: ResourceAuth;
  readonly issuer: TestIssuer;
  readonly port: number;
  /** The resource. */
  readonly url: string;
  readonly metadataUrl: string;
  /** What was reported, by the server and by what protects it. */
  readonly errors: unknown[];
  close(): Promise<void>;
}

/** A server and its issuer, each on a port. */
async function openProtected(options: Partial<JwtOptions> = {}): Promise<Protected> {
  const { issuer, close: closeIssuer } = await listen();
  issuer.keys = [key.jwk, rsa.jwk];
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const { server, errors } = makeStage();
  const onError = (error: Error): void => void errors.push(error);
  const auth = jwt({ issuer: issuer.issuer, resource: url, scopes: ['mcp:use'], onError, ...options });
  const handle = nodeHandler(server, { auth });
  http.on('request', handle);
  return {
    auth,
    issuer,
    port,
    url,
    metadataUrl: `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`,
    errors,
    close: async () => {
      await handle.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await closeIssuer();
    },
  };
}

let key: TestKey;
let rsa: TestKey;
let server: Protected;
beforeAll(async () => {
  [key, rsa] = await Promise.all([makeKey('one'), makeKey('rsa', 'RS256')]);
  server = await openProtected();
});
afterAll(() => server.close());
afterEach(() => void vi.useRealTimers());

const claims = (changes: Record<string, unknown> = {}): Record<string, unknown> =>
  goodClaims({ iss: server.issuer.issuer, aud: server.url, ...changes });
const signed = (
  changes: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  by = key,
): Promise<string> => sign(by, claims(changes), header);
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Status and challenge of a request with this token. */
async function outcomeOf(token: string | undefined, { url } = server): Promise<readonly [number, string | null]> {
  const headers = { ...statelessHeaders(list), ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(list) });
  await answer.text();
  return [answer.status, answer.headers.get('www-authenticate')];
}

const challenge = (): string => `Bearer resource_metadata="${server.metadataUrl}", scope="mcp:use"`;
const invalid = (description: string): readonly [number, string] => [
  401,
  `${challenge()}, error="invalid_token", error_description="${description}"`,
];

test('whoever has no token finds the issuer by following the challenge', async () => {
  const [status, told] = await outcomeOf(undefined);
  expect([status, told]).toEqual([401, challenge()]);
  const link = /resource_metadata="([^"]*)"/.exec(told ?? '')?.[1] ?? '';
  const answer = await fetch(link);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await answer.json()).toMatchObject({
    resource: server.url,
    authorization_servers: [server.issuer.issuer],
    scopes_supported: ['mcp:use'],
  });
});

test('a good token lets its bearer in', async () => {
  expect(await outcomeOf(await signed())).toEqual([200, null]);
});

describe('a token that is not good', () => {
  const cases: readonly (readonly [what: string, token: () => Promise<string>, description: string])[] = [
    [
      'for another audience',
      () => signed({ aud: 'https://other.example.com/mcp' }),
      'The token was not issued for this server',
    ],
    ['of another issuer', () => signed({ iss: 'https://evil.example.com' }), 'The token comes from another issuer'],
    ['expired', () => signed({ exp: now() - 60 }), 'The token has expired'],
    ['not yet valid', () => signed({ nbf: now() + 60 }), 'The token is not valid yet'],
    [
      'alg none',
      async () => `${base64({ alg: 'none' })}.${base64(claims())}.`,
      'The algorithm the token is signed with is not accepted',
    ],
    [
      'signed with the public key as a secret',
      async () => {
        const secret = new TextEncoder().encode(await exportSPKI(rsa.publicKey));
        return new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'rsa' }).sign(secret);
      },
      'The algorithm the token is signed with is not accepted',
    ],
    [
      'signed by somebody else',
      async () => signed({}, {}, await makeKey('one')),
      'The signature of the token is not valid',
    ],
    ['no token at all', async () => 'undefined', 'The token cannot be read'],
  ];

  test.each(cases)('%s', async (_what, token, description) => {
    expect(await outcomeOf(await token())).toEqual(invalid(description));
  });
});

test('a token without the scope is told all that it needs', async () => {
  expect(await outcomeOf(await signed({ scope: 'mcp:user mcp' }))).toEqual([
    403,
    `Bearer error="insufficient_scope", scope="mcp:use", resource_metadata="${server.metadataUrl}", ` +
      'error_description="The token lacks a scope that the request needs"',
  ]);
});

test('every method needs the token, a session or none', async () => {
  const headers = { ...POST, authorization: `Bearer ${await signed()}` };
  const opened = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(initialize('2025-11-25')) });
  await opened.text();
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  expect(opened.status).toBe(200);
  for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
    const answer = await fetch(server.url, {
      method,
      headers: { ...POST, ...session },
      ...(method === 'POST' && { body: '{}' }),
    });
    await answer.text();
    expect([method, answer.status, answer.headers.get('www-authenticate')]).toEqual([method, 401, challenge()]);
  }
});

test('a token in the URL is refused, also beside a good one', async () => {
  const token = await signed();
  const headers = { ...statelessHeaders(list), authorization: `Bearer ${token}` };
  const answer = await fetch(`${server.url}?access_token=${token}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(list),
  });
  await answer.text();
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    401,
    `${challenge()}, error="invalid_request", error_description="A token belongs into the header Authorization, not into the URL"`,
  ]);
});

test('header fields that nobody should send are a 401, and nothing is reported', async () => {
  const unreadable = ', error="invalid_request", error_description="The header Authorization cannot be read"';
  const fields: readonly (readonly [value: string, more: string])[] = [
    ['', ''],
    ['Bearer', unreadable],
    ['Bearer ', unreadable],
    ['Bearer a b', unreadable],
    ['Bearer a,b', unreadable],
    ['Bearer "a"', unreadable],
    ['Bearer =a', unreadable],
    ['bearer \xe4', unreadable],
    ['Basic YTpi', ''],
    ['Bearer: a', unreadable],
    [':', ''],
    ['Bearer a', ', error="invalid_token", error_description="The token cannot be read"'],
    ['__proto__ a', ''],
  ];
  for (const [value, more] of fields) {
    const client = await connectTo(server.port);
    const head = [`Host: 127.0.0.1:${server.port}`, `Authorization: ${value}`, 'Content-Type: application/json'];
    client.write(Buffer.from(rawRequest('POST /mcp HTTP/1.1', head, '{}'), 'latin1'));
    const answer = await client.answer();
    const told = /^www-authenticate: (.*)\r$/im.exec(answer.head)?.[1];
    expect([value, answer.status, told]).toEqual([value, 401, challenge() + more]);
    client.destroy();
  }
  expect(server.errors).toEqual([]);
});

test('where clients are sent does not come from the request', async () => {
  const client = await connectTo(server.port);
  const head = [
    'Host: evil.example',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: https',
    'Content-Type: application/json',
  ];
  const answer = await client.write(rawRequest('POST /mcp HTTP/1.1', head, '{}')).answer();
  expect(answer.head).toContain(`resource_metadata="${server.metadataUrl}"`);
  expect(answer.head).not.toContain('evil');
  client.destroy();
});

describe('an issuer', () => {
  test('is not asked 200 times for 200 keys that do not exist, and a new key is found', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const own = await openProtected();
    const by = (one: TestKey, kid: string): Promise<string> =>
      sign(one, { iss: own.issuer.issuer, aud: own.url }, { kid });
    const two = await makeKey('two');
    const tokens = await Promise.all(Array.from({ length: 200 }, (_, n) => by(two, `kid-${n}`)));
    const statuses = await Promise.all(tokens.map(async (token) => (await outcomeOf(token, own))[0]));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(pathsOf(own.issuer)).toEqual(['/.well-known/oauth-authorization-server', '/jwks']);
    own.issuer.keys = [two.jwk];
    vi.advanceTimersByTime(10_001);
    expect((await outcomeOf(await by(two, 'two'), own))[0]).toBe(200);
    expect(pathsOf(own.issuer)).toEqual(['/.well-known/oauth-authorization-server', '/jwks', '/jwks']);
    await own.close();
  });

  test('that sends elsewhere is not followed; the callers get a 503, the operator the reason', async () => {
    const own = await openProtected();
    own.issuer.pages.set('/jwks', () => ({ status: 302, headers: { location: `${own.issuer.issuer}/elsewhere` } }));
    const token = await sign(key, { iss: own.issuer.issuer, aud: own.url });
    const headers = { ...statelessHeaders(list), authorization: `Bearer ${token}` };
    const answer = await fetch(own.url, { method: 'POST', headers, body: JSON.stringify(list) });
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('www-authenticate')]).toEqual([
      503,
      '10',
      null,
    ]);
    expect(await answer.json()).toMatchObject({ error: { message: 'Tokens cannot be checked at the moment' } });
    expect(pathsOf(own.issuer)).toEqual(['/.well-known/oauth-authorization-server', '/jwks']);
    expect(own.errors).toHaveLength(1);
    expect(inspect(own.errors)).toContain('status 302: redirects are not followed');
    await own.close();
  });
});

test('a token is in no error, no answer and nothing that can be inspected', async () => {
  const written: string[] = [];
  const streams = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...args) => void written.push(inspect(args))),
  );
  const [up, down] = [await openProtected({ onError: undefined }), await openProtected({ onError: undefined })];
  down.issuer.pages.set('/jwks', () => ({ status: 500, body: 'broken' }));
  const statuses: number[] = [];
  const told: string[] = [];
  for (const { issuer, url } of [up, down]) {
    const good = await sign(key, { iss: issuer.issuer, aud: url });
    for (const token of [good, `${good}x`, good.slice(0, -5), await sign(rsa, { aud: 'x' })]) {
      const headers = { ...statelessHeaders(list), authorization: `Bearer ${token}` };
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(list) });
      statuses.push(answer.status);
      told.push(inspect([...answer.headers]), await answer.text());
    }
  }
  for (const stream of streams) stream.mockRestore();
  expect(statuses).toEqual([200, 401, 401, 401, 503, 503, 503, 503]);
  expect(written.join('\n')).toContain('could not be fetched');
  const held = inspect([up.auth, up.errors, down.auth, down.errors], { depth: 10, showHidden: true });
  // Every token of these begins like that.
  expect([...told, ...written, held].join('\n')).not.toContain('eyJ');
  await Promise.all([up.close(), down.close()]);
});

test('a framework that has routes shows the metadata by its handler', async () => {
  const { default: express } = await import('express');
  const metadata = protectedResource(server.auth);
  const app = express();
  app.all(metadata.path, metadata);
  const http = createServer(app);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(http.address() as AddressInfo).port}${metadata.path}`;
  const answer = await fetch(at, { headers: { origin: 'https://app.example.com' } });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(await answer.json()).toEqual(server.auth.protectedResource.metadata);
  const head = await fetch(at, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await fetch(at, { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});
