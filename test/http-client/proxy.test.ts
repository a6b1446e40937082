/** NODE_USE_ENV_PROXY with HTTP_PROXY, HTTPS_PROXY and NO_PROXY: requests go through a proxy of the environment. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeHandler, serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { send, sendResolving } from '../../src/auth/client/node-send.ts';
import { proxyFor } from '../../src/client/node-proxy.ts';
import { CERTIFICATE, KEY } from './localhost-certificate.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) await close();
});

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
  });

/** A proxy that keeps the first line of every request, and the user it was sent by. */
async function startProxy(refusal?: number): Promise<{ port: number; lines: string[]; users: Set<unknown> }> {
  const lines: string[] = [];
  const users = new Set<unknown>();
  const proxy = createServer((incoming, response) => {
    lines.push(`${incoming.method} ${incoming.url}`);
    users.add(incoming.headers['proxy-authorization']);
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const outgoing = request(incoming.url ?? '', { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.on('close', () => outgoing.destroy());
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  proxy.on('connect', (incoming, client) => {
    lines.push(`CONNECT ${incoming.url}`);
    users.add(incoming.headers['proxy-authorization']);
    if (refusal !== undefined) return void client.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
    const [host, port] = String(incoming.url).split(':');
    const server = connectTcp(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    server.on('error', () => client.destroy());
    client.on('error', () => server.destroy());
    server.pipe(client).pipe(server);
  });
  return { port: await listening(proxy), lines, users };
}

const makeServer = (): McpServer =>
  new McpServer({ name: 'one', version: '1' }).registerTool('hello', {}, () => 'Hello');

const root = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = `
  import { connect } from 'mcpp/client';
  try {
    const mcp = await connect(process.env.TARGET);
    console.log((await mcp.callTool('hello')).content[0].text);
    await mcp.close();
  } catch (error) {
    console.log(error.code, error.message);
  }
`;

/** What a client prints in an environment of its own. */
function run(env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ['--input-type=module', '-e', PROGRAM];
    execFile(process.execPath, args, { cwd: root, env: { PATH: process.env['PATH'], ...env } }, (error, stdout) =>
      error ? reject(error) : resolve(stdout.trim()),
    );
  });
}

describe('an http: server', () => {
  test('is reached through HTTP_PROXY, with its user and password', async () => {
    const { url, close } = await serveHttp(makeServer(), { port: 0 });
    closing.push(close);
    const proxy = await startProxy();
    const HTTP_PROXY = `http://ada:s%20ecret@127.0.0.1:${proxy.port}`;
    expect(await run({ TARGET: url, NODE_USE_ENV_PROXY: '1', HTTP_PROXY })).toBe('Hello');
    expect(new Set(proxy.lines)).toEqual(new Set([`POST ${url}`]));
    expect([...proxy.users]).toEqual([`Basic ${Buffer.from('ada:s ecret').toString('base64')}`]);
  });

  test.each([
    ['NO_PROXY names it', { NODE_USE_ENV_PROXY: '1', NO_PROXY: 'localhost, 127.0.0.1' }],
    ['NODE_USE_ENV_PROXY is not set', {}],
  ])('is reached directly if %s', async (_why, env) => {
    const { url, close } = await serveHttp(makeServer(), { port: 0 });
    closing.push(close);
    const proxy = await startProxy();
    expect(await run({ TARGET: url, HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, ...env })).toBe('Hello');
    expect(proxy.lines).toEqual([]);
  });

  test('that a proxy does not lead to is an error that names the proxy', async () => {
    const env = {
      TARGET: 'http://127.0.0.1:9/mcp',
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: 'http://ada:secret@127.0.0.1:9',
    };
    expect(await run(env)).toBe(
      'unreachable Cannot reach http://127.0.0.1:9/mcp: the proxy http://127.0.0.1:9 cannot be reached (ECONNREFUSED)',
    );
  });
});

describe('an https: server', () => {
  async function startTls(): Promise<{ url: string; authority: string; trusted: string }> {
    const handler = nodeHandler(makeServer(), { hosts: ['localhost'] });
    const port = await listening(createTlsServer({ key: KEY, cert: CERTIFICATE }, handler));
    const folder = mkdtempSync(join(tmpdir(), 'mcpp-proxy-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    const trusted = join(folder, 'localhost.pem');
    writeFileSync(trusted, CERTIFICATE);
    return { url: `https://localhost:${port}/mcp`, authority: `localhost:${port}`, trusted };
  }

  test('is reached through a tunnel of HTTPS_PROXY, of which the proxy sees only the name', async () => {
    const { url, authority, trusted } = await startTls();
    const proxy = await startProxy();
    const HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
    const env = { TARGET: url, NODE_USE_ENV_PROXY: '1', HTTPS_PROXY, NODE_EXTRA_CA_CERTS: trusted };
    expect(await run(env)).toBe('Hello');
    expect(new Set(proxy.lines)).toEqual(new Set([`CONNECT ${authority}`]));
  });

  test('must have a certificate that is trusted, also in a tunnel', async () => {
    const { url } = await startTls();
    const proxy = await startProxy();
    const HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
    expect(await run({ TARGET: url, NODE_USE_ENV_PROXY: '1', HTTPS_PROXY })).toBe(
      `unreachable Cannot reach ${url}: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    );
  });

  test('whose tunnel the proxy refuses is an error with the status', async () => {
    const proxy = await startProxy(407);
    const HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
    expect(await run({ TARGET: 'https://localhost:9/mcp', NODE_USE_ENV_PROXY: '1', HTTPS_PROXY })).toBe(
      `unreachable Cannot reach https://localhost:9/mcp: the proxy ${HTTPS_PROXY} refused a tunnel to localhost:9 (HTTP status 407)`,
    );
  });
});

test('requests to authorization servers take the same way', async () => {
  const port = await listening(createServer((_request, response) => response.end('{"issuer":"x"}')));
  const proxy = await startProxy();
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`);
  const url = new URL(`http://127.0.0.1:${port}/.well-known/oauth-authorization-server?a=b`);
  const { signal } = new AbortController();
  const { status, body } = await send({ method: 'GET', url, headers: {} }, { reach: 'loopback', signal });
  expect([status, body]).toEqual([200, '{"issuer":"x"}']);
  expect(proxy.lines).toEqual([`GET ${url}`]);
});

test('an authorization server whose name leads to a private address is not asked through a proxy either', async () => {
  const proxy = await startProxy();
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
  const { signal } = new AbortController();
  const resolve = async () => [{ address: '10.0.0.5', family: 4 }];
  const request = { method: 'GET', url: new URL('https://as.example.com/token'), headers: {} } as const;
  await expect(sendResolving(resolve, request, { reach: 'public', signal })).rejects.toThrow(
    'is in a private, loopback or link-local network',
  );
  expect(proxy.lines).toEqual([]);
});

describe('the proxy for a URL', () => {
  const env = (more: Record<string, string>): Record<string, string> => ({
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: 'http://a:1',
    HTTPS_PROXY: 'http://b:2',
    ...more,
  });
  const hostOf = (url: string, more: Record<string, string> = {}): string | undefined =>
    proxyFor(new URL(url), env(more))?.host;

  test('is that of its protocol, lower case first', () => {
    expect([hostOf('http://x/'), hostOf('https://x/')]).toEqual(['a:1', 'b:2']);
    expect(hostOf('http://x/', { http_proxy: 'http://c:3' })).toBe('c:3');
    expect(hostOf('http://x/', { NODE_USE_ENV_PROXY: '0' })).toBeUndefined();
  });

  test.each<[list: string, url: string, isDirect: boolean]>([
    ['*', 'http://x.example.com/', true],
    ['example.com', 'http://example.com/', true],
    ['EXAMPLE.com', 'http://example.com/', true],
    ['example.com', 'http://x.example.com/', false],
    ['.example.com', 'http://x.example.com/', true],
    ['*.example.com', 'http://x.example.com/', true],
    ['.example.com', 'http://badexample.com/', false],
    ['example.com:8080', 'http://example.com:8080/', true],
    ['example.com:8080', 'http://example.com/', false],
    ['example.com:443', 'https://example.com/', true],
    ['10.0.0.1-10.0.0.9', 'http://10.0.0.5/', true],
    ['10.0.0.1-10.0.0.9', 'http://10.0.0.10/', false],
    ['10.0.0.0/8', 'http://10.200.0.1/', true],
    ['10.0.0.0/8', 'http://11.0.0.1/', false],
    ['10.0.0.0/99, ::1', 'http://[::1]/', true],
    ['', 'http://example.com/', false],
  ])('NO_PROXY=%s and %s', (list, url, isDirect) => {
    expect(hostOf(url, { NO_PROXY: list }) === undefined).toBe(isDirect);
  });

  test('must be an http: or https: URL, and its password is not shown', () => {
    expect(() => hostOf('http://x/', { HTTP_PROXY: 'socks5://ada:secret@proxy' })).toThrow(
      'The environment variable HTTP_PROXY must be an http: or https: URL, such as http://proxy:8080',
    );
  });
});
