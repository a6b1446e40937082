/** In every framework: who is not let in finds the way from the link of the 401, and nobody else's. */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { recipes, writeRecipes } from './recipes.ts';
import { type App, end, portOf, prepare, serveApp } from './run.ts';
import { newestCall, send } from './speaker.ts';

const folder = writeRecipes('frameworks-auth');
const RECIPES = [...recipes().keys()].filter((name) => name.endsWith('-auth'));

type Handler = App['fetch'];

beforeAll(async () => {
  await prepare();
  // What the recipes use of these runtimes, done by Node.
  vi.stubGlobal('Bun', {
    serve({ routes }: { routes: Readonly<Record<string, Handler>> }) {
      serveApp({ fetch: (request) => routes[new URL(request.url).pathname]?.(request) ?? notFound() });
    },
  });
  vi.stubGlobal('Deno', { serve: (_options: object, handler: Handler) => serveApp({ fetch: handler }) });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await end();
});

function notFound(): Response {
  return new Response(null, { status: 404 });
}

test('there is one for every framework', () => {
  expect(RECIPES).toEqual([
    'http-auth',
    'express-auth',
    'fastify-auth',
    'koa-auth',
    'hono-auth',
    'bun-auth',
    'deno-auth',
  ]);
});

describe.each(RECIPES)('%s', (name) => {
  let port: number;
  beforeAll(async () => {
    port = await portOf(folder, name);
  });

  test('the link of the 401 leads to the document of this server', async () => {
    const refused = await send(port, newestCall('hello', { name: 'Ada' }));
    expect(refused.status).toBe(401);
    const challenge = refused.header('www-authenticate') ?? '';
    const link = new URL(/^Bearer .*resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '');
    expect(link.origin).toBe('https://mcp.example.com');

    const found = await send(port, { method: 'GET', target: link.pathname, headers: { accept: 'application/json' } });
    expect([found.status, found.type]).toEqual([200, 'application/json']);
    expect(await found.json()).toMatchObject({
      resource: 'https://mcp.example.com/mcp',
      authorization_servers: ['https://login.example.com'],
    });
    expect(found.header('access-control-allow-origin')).toBe('*');
    expect((await send(port, { method: 'GET', target: `${link.pathname}?a=b` })).status).toBe(200);
  });

  test('the same under any name, for pages that ask first, and for nothing but reading', async () => {
    const target = '/.well-known/oauth-protected-resource/mcp';
    const elsewhere = await send(port, { method: 'GET', target, headers: { host: 'evil.example' } });
    expect(await elsewhere.json()).toMatchObject({ resource: 'https://mcp.example.com/mcp' });
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    expect((await send(port, { method: 'OPTIONS', target, headers })).status).toBe(204);
    expect((await send(port, { method: 'POST', target, message: {} })).status).toBe(405);
  });

  test('GET and DELETE of the endpoint are not let in either, and elsewhere is nothing', async () => {
    for (const method of ['GET', 'DELETE'] as const) expect((await send(port, { method })).status).toBe(401);
    expect((await send(port, { method: 'GET', target: '/.well-known/oauth-protected-resource/other' })).status).toBe(
      404,
    );
  });
});
