/** Both halves of HTTP together: everything a client does, against a server of this package, in every revision. */

import type { ProtocolVersion } from 'mcpp';
import { type ConnectOptions, connect } from 'mcpp/client';
import { fetchHandler } from 'mcpp/fetch';
import { type ServeHttpOptions, serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { REVISIONS } from '../wire.ts';

const ending: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

function makeServer(): { server: McpServer; aborted: () => number } {
  let aborted = 0;
  const server = new McpServer({ name: 'own', version: '1.0.0' });
  server
    .registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b))
    .registerTool('steps', {}, async (_args, ctx) => {
      for (const step of [1, 2, 3]) ctx.reportProgress(step, 3);
      return 'done';
    })
    .registerTool('wait', {}, (_args, ctx) => {
      ctx.reportProgress(1);
      return new Promise((resolve) => {
        ctx.signal.addEventListener('abort', () => {
          aborted++;
          resolve('stopped');
        });
      });
    })
    .registerTool('slow', { annotations: { readOnlyHint: true } }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return 'at last';
    })
    .registerTool('ask', {}, async (_args, ctx) => {
      const answer = await ctx.elicit('How many?', z.object({ count: z.int() }));
      return answer.action === 'accept' ? `${answer.content.count}` : 'nothing';
    })
    .registerTool(
      'region',
      {
        inputSchema: {
          type: 'object',
          properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
          required: ['region'],
        },
      },
      ({ region }) => `in ${region}`,
    )
    .registerResource('file:///a', 'text/plain', () => 'A')
    .registerPrompt('hello', {}, () => 'Hello');
  return { server, aborted: () => aborted };
}

/** The faces of a server, and how a client gets to each. */
const FACES = {
  'the face of Node': async (server: McpServer, options: ServeHttpOptions = {}) => {
    const serving = await serveHttp(server, { port: 0, ...options });
    ending.push(() => serving.close());
    return { url: serving.url, options: {} };
  },
  'the face of fetch': async (server: McpServer, options: ServeHttpOptions = {}) => {
    const handler = fetchHandler(server, options);
    ending.push(() => handler.close());
    const answer: typeof fetch = (url, init) => Promise.resolve(handler(new Request(url, init)));
    return { url: 'http://localhost/mcp', options: { fetch: answer } };
  },
} satisfies Record<string, (server: McpServer) => Promise<{ url: string; options: ConnectOptions }>>;

const text = (result: { content: readonly object[] }): unknown => (result.content[0] as { text?: string }).text;

describe.each(Object.entries(FACES))('over %s', (_name, face) => {
  test.each(REVISIONS)('%s: calls, lists, progress, cancellation, questions, changes', async (revision) => {
    const { server, aborted } = makeServer();
    const { url, options } = await face(server);
    const onError = vi.fn();
    const mcp = await connect(url, {
      ...options,
      revision: revision as ProtocolVersion,
      onError,
      onElicit: () => ({ action: 'accept', content: { count: 3 } }),
    });
    expect(mcp.revision).toBe(revision);
    expect((await mcp.listTools()).tools).toHaveLength(6);
    expect(text(await mcp.callTool('add', { a: 1, b: 2 }))).toBe('3');
    expect(text(await mcp.callTool('region', { region: 'Köln' }))).toBe('in Köln');
    expect((await mcp.readResource('file:///a')).contents).toHaveLength(1);
    expect((await mcp.getPrompt('hello')).messages).toHaveLength(1);

    const steps: number[] = [];
    await mcp.callTool('steps', {}, { onProgress: ({ progress }) => steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);

    const giveUp = new AbortController();
    const waiting = mcp.callTool('wait', {}, { signal: giveUp.signal, onProgress: () => giveUp.abort() });
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    await vi.waitFor(() => expect(aborted()).toBe(1));

    if (revision >= '2025-06-18') expect(text(await mcp.callTool('ask'))).toBe('3');

    const events: unknown[] = [];
    const stop = await mcp.watch('tools', (event) => events.push(event));
    await vi.waitFor(() => {
      if (events.length === 0) server.registerTool('new', { replace: true }, () => 'new');
      expect(events).toContainEqual({ type: 'tools' });
    });
    await stop();
    await mcp.ping();
    await mcp.close();
    expect(onError).not.toHaveBeenCalled();
  });

  test('a call whose stream ends before its answer comes back for it', async () => {
    const { server } = makeServer();
    const { url, options } = await face(server, { maxStreamMs: 10, retryMs: 20 });
    const mcp = await connect(url, { ...options, revision: '2025-11-25' });
    expect(text(await mcp.callTool('slow'))).toBe('at last');
    await mcp.close();
  });

  test('tools whose headers were not listed yet are found out about by themselves', async () => {
    const { server } = makeServer();
    const { url, options } = await face(server);
    const mcp = await connect(url, options);
    expect(mcp.revision).toBe('2026-07-28');
    expect(text(await mcp.callTool('region', { region: 'a' }))).toBe('in a');
    await mcp.close();
  });
});

test('a server that was started again has forgotten the sessions, and nobody notices', async () => {
  const first = makeServer().server;
  const serving = await serveHttp(first, { port: 0 });
  const { port } = new URL(serving.url);
  const onSessionReplaced = vi.fn();
  const mcp = await connect(serving.url, { revision: '2025-11-25', onSessionReplaced });
  await mcp.callTool('add', { a: 1, b: 2 });
  await serving.close({ graceMs: 0 });
  const again = await serveHttp(makeServer().server, { port: Number(port) });
  ending.push(() => again.close());
  // What finds the old connections broken must be something that may be sent twice.
  await mcp.ping();
  expect(text(await mcp.callTool('add', { a: 2, b: 2 }))).toBe('4');
  expect(onSessionReplaced).toHaveBeenCalledTimes(1);
  await mcp.close();
});

test('a server of 2024-11-05 is spoken to over its own transport', async () => {
  const { server } = makeServer();
  const serving = await serveHttp(server, { port: 0, sse: true });
  ending.push(() => serving.close());
  // The way there leads over a server that does not take messages here.
  const refusing: typeof fetch = (url, init) =>
    new URL(String(url)).search === '' && init?.method === 'POST'
      ? Promise.resolve(new Response(null, { status: 405 }))
      : fetch(url, init);
  const mcp = await connect(serving.url, { fetch: refusing });
  expect(text(await mcp.callTool('add', { a: 1, b: 2 }))).toBe('3');
  const steps: number[] = [];
  await mcp.callTool('steps', {}, { onProgress: ({ progress }) => steps.push(progress) });
  expect(steps).toEqual([1, 2, 3]);
  await mcp.close();
});
