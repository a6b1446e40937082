/** Authorization under attack: a client led to others by its MCP server, and a server whose callers send odd tokens. */

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { post } from './http.ts';
import { expectCheap, startVictim, type Victim } from './victim.ts';

const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close().closeAllConnections();
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a client', () => {
  interface Outcome {
    readonly code: string;
    readonly message: string;
    readonly steps: number;
  }

  let victim: Victim<object>;
  beforeAll(async () => {
    victim = await startVictim('oauth-client');
  });
  afterAll(() => victim.close());

  /** Connects to a server with this metadata; the paths that a third party was asked for meanwhile. */
  async function connected(metadata: (thirdParty: string) => object, answer?: RequestListener) {
    const asked: string[] = [];
    const thirdParty = await listen((request, response) => {
      asked.push(request.url ?? '');
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
    const server = await listen((request, response) => {
      if (request.url === '/mcp') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      else {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ resource: server, ...metadata(thirdParty) }));
      }
    });
    const outcomes: Outcome[] = [];
    const cost = await victim.during(async () => {
      outcomes.push((await victim.run('connectTo', `${server}/mcp`)) as Outcome);
    });
    return { asked, cost, outcome: outcomes[0] as Outcome };
  }
  const issuers = (thirdParty: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${thirdParty}/${index}`);

  test('whose server names 24,000 authorization servers asks none of them', async () => {
    const { asked, cost, outcome } = await connected((to) => ({ authorization_servers: issuers(to, 24_000) }));
    expectCheap(cost);
    expect(asked).toEqual([]);
    expect(outcome.code).toBe('invalid_response');
  });

  test('whose server names 20 that redirect to themselves sends at most 60 requests', async () => {
    const redirect: RequestListener = ({ url = '' }, response) => response.writeHead(302, { location: url }).end();
    const { asked, cost, outcome } = await connected((to) => ({ authorization_servers: issuers(to, 20) }), redirect);
    expectCheap(cost);
    expect(asked.length).toBeLessThanOrEqual(60);
    expect(new Set(asked.map((path) => /\d+/.exec(path)?.[0]))).toHaveProperty('size', 5);
    expect(outcome.steps).toBeLessThanOrEqual(50);
    expect(outcome.message.length).toBeLessThan(32 * 1024);
  });

  test('is not sent to a browser with a megabyte of scopes', async () => {
    const scopes_supported = Array.from({ length: 120_000 }, (_, index) => index.toString(36));
    const { cost, outcome } = await connected((to) => ({ authorization_servers: [to], scopes_supported }));
    expectCheap(cost);
    expect(outcome.message).toContain('"scopes_supported" must have at most 1000 scopes');
  });

  test('tells a megabyte of control characters in a line', async () => {
    const error_description = '\u001b[2J\u202e'.repeat(80_000);
    const refuse: RequestListener = ({ method, headers }, response) => {
      const issuer = `http://${headers.host}`;
      const endpoints = { authorization_endpoint: issuer, token_endpoint: issuer, registration_endpoint: issuer };
      const metadata = { issuer, ...endpoints, code_challenge_methods_supported: ['S256'] };
      const body = method === 'GET' ? metadata : { error: 'invalid_request', error_description };
      response.writeHead(method === 'GET' ? 200 : 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const { cost, outcome } = await connected((to) => ({ authorization_servers: [to] }), refuse);
    expectCheap(cost);
    expect(outcome.code).toBe('invalid_request');
    expect(outcome.message.length).toBeLessThan(2000);
    expect(outcome.message.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});

describe('a server that asks about tokens', () => {
  let victim: Victim<object>;
  beforeAll(async () => {
    victim = await startVictim('introspection');
  });
  afterAll(() => victim.close());

  /** A server whose authorization server answers odd tokens with this status, and knows every other one. */
  async function serve(oddStatus: number): Promise<(token: string) => Promise<number>> {
    const issuer = await listen((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        if (request.method === 'GET') {
          response.end(JSON.stringify({ issuer, introspection_endpoint: `${issuer}/introspect` }));
          return;
        }
        const token = new URLSearchParams(body).get('token') ?? '';
        if (token.startsWith('odd')) response.writeHead(oddStatus).end('{}');
        else response.end(JSON.stringify({ active: true, sub: 'alice', aud: 'http://localhost/mcp' }));
      });
    });
    const port = (await victim.run('serve', issuer)) as number;
    return async (token) =>
      (await post(port, 'tools/call', { name: 'hello' }, { headers: { authorization: `Bearer ${token}` } })).status;
  }

  test.each([
    [400, 401],
    [413, 401],
    [500, 503],
    [403, 503],
  ])('whose issuer answers odd tokens with %i answers them with %i, and everybody else with 200', async (odd, told) => {
    const call = await serve(odd);
    const cost = await victim.during(async () => {
      for (let n = 0; n < 20; n++) {
        expect(await call(`odd-${n}-${'x'.repeat(8000)}`)).toBe(told);
        if (n % 3 === 2) expect(await call(`new-${n}`)).toBe(200);
      }
    });
    expectCheap(cost, 26);
  });

  test('keeps a bounded number of the tokens that callers make up', async () => {
    const call = await serve(400);
    const before = await victim.during(() => call('good'));
    const cost = await victim.during(async () => {
      for (let n = 0; n < 3000; n += 10) {
        await Promise.all(Array.from({ length: 10 }, (_, more) => call(`odd-${n + more}-${'x'.repeat(8000)}`)));
      }
    });
    // 1,000 of 8 KB are remembered as bad, 3,000 were sent.
    expect(cost.heapMb - before.heapMb).toBeLessThan(16);
    expect(cost.maxDelayMs).toBeLessThan(250);
    expect(await call('another')).toBe(200);
  });
});
