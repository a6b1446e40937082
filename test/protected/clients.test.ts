/** The authorization server of the example accepts the clients that people have: they register with scopes of their own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from '../auth/person.ts';
import { freePort } from '../auth/protected-server.ts';

const started: ChildProcess[] = [];
let issuer: string;
let resource: string;

async function start(name: string, ...args: string[]): Promise<void> {
  const file = fileURLToPath(new URL(`../../examples/protected/${name}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  await once(child.stdout, 'data');
}

beforeAll(async () => {
  const [port, issuerPort] = [String(await freePort()), String(await freePort())];
  issuer = `http://127.0.0.1:${issuerPort}`;
  resource = `http://127.0.0.1:${port}/mcp`;
  await start('authorization-server.mjs', '--port', issuerPort);
  await start('server.mjs', '--port', port, '--issuer', issuer);
});
afterAll(async () => {
  for (const child of started) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

const CODE = { response_types: ['code'], grant_types: ['authorization_code', 'refresh_token'] };
const PUBLIC = { ...CODE, token_endpoint_auth_method: 'none' };

type Metadata = { readonly redirect_uris: readonly string[]; readonly [name: string]: unknown };

/** What each of them registers with, and which scopes it asks for then. */
const CLIENTS: readonly (readonly [name: string, metadata: Metadata, scope: string | undefined])[] = [
  [
    'mcp-remote',
    {
      ...PUBLIC,
      client_name: 'MCP CLI Proxy',
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '0.1.37',
      redirect_uris: ['http://localhost:29956/oauth/callback'],
      scope: 'openid email profile',
    },
    'openid email profile',
  ],
  [
    'mcporter',
    {
      ...PUBLIC,
      client_name: 'mcporter (notes)',
      redirect_uris: ['http://127.0.0.1:43210/callback'],
      scope: 'mcp:tools',
    },
    'mcp:tools',
  ],
  [
    'codex',
    {
      ...PUBLIC,
      client_name: 'Codex',
      redirect_uris: ['http://127.0.0.1:51234/callback'],
      scope: 'notes:read',
    },
    'notes:read',
  ],
  [
    'the Inspector',
    {
      ...PUBLIC,
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      redirect_uris: ['http://localhost:6274/oauth/callback'],
      scope: 'notes:read',
    },
    'notes:read offline_access',
  ],
  [
    'a client that names no scope',
    { ...CODE, client_name: 'Plain', redirect_uris: ['http://localhost:1234/callback'] },
    undefined,
  ],
];

test.each(CLIENTS)('%s registers, signs in and is let in', async (_name, metadata, scope) => {
  const registered = await fetch(`${issuer}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'http://localhost:6274' },
    body: JSON.stringify(metadata),
  });
  const client = (await registered.json()) as { client_id: string; client_secret?: string };
  expect([registered.status, client]).toMatchObject([201, { client_id: expect.any(String) }]);
  expect(registered.headers.get('access-control-allow-origin')).toBe('*');

  const verifier = randomBytes(32).toString('base64url');
  const redirect_uri = metadata.redirect_uris[0] ?? '';
  const page = new URL(`${issuer}/auth`);
  page.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'state',
    resource,
    ...(scope !== undefined && { scope }),
  }).toString();
  const { url } = await new Browser().visit(page, { name: 'ada', allow: 'yes' });
  expect(url.searchParams.get('error_description')).toBeNull();

  const form = {
    grant_type: 'authorization_code',
    code: url.searchParams.get('code') ?? '',
    redirect_uri,
    code_verifier: verifier,
    client_id: client.client_id,
    resource,
  };
  const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { origin: new URL(redirect_uri).origin, ...(client.client_secret && { authorization: `Basic ${basic}` }) },
    body: new URLSearchParams(form),
  });
  const tokens = (await answer.json()) as { access_token: string };
  expect([answer.status, tokens]).toMatchObject([200, { token_type: 'Bearer', scope: 'notes:read' }]);
  expect(answer.headers.get('access-control-allow-origin')).toBe(new URL(redirect_uri).origin);

  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    },
  };
  const answered = await fetch(resource, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokens.access_token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(call),
  });
  expect([answered.status, await answered.json()]).toMatchObject([200, { result: { serverInfo: { name: 'notes' } } }]);
});

test('a web page may register: its preflight is answered', async () => {
  const preflight = await fetch(`${issuer}/reg`, { method: 'OPTIONS', headers: { origin: 'http://localhost:6274' } });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'content-type']);
});
