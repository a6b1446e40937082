/** Lists with many elements: what is unusable of them costs itself, and not the rest. */

import { connect } from 'mcpp/client';
import { webSocketTransport } from 'mcpp/websocket';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { closeAll, rawServer, stateless, TOOL, type Visit } from './raw-server.ts';

const closing: (() => void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await closeAll();
});

const values = Array.from({ length: 200_000 }, (_, at) => `value ${at}`);
const HUGE = { name: 'huge', inputSchema: { type: 'object', properties: { one: { enum: values } } } };
const tools = [{ ...TOOL, name: 'first' }, HUGE, { ...TOOL, name: 'last' }];
const LIST = { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'public' };

/** The tools that are left, and what was reported. */
async function listed(target: Parameters<typeof connect>[0]): Promise<{ names: string[]; reports: string[] }> {
  const onError = vi.fn();
  const mcp = await connect(target, { onError });
  const names = (await mcp.listTools()).tools.map(({ name }) => name);
  await mcp.close();
  return { names, reports: onError.mock.calls.map(([error]) => (error as Error).message) };
}

const EXPECTED = {
  names: ['first', 'last'],
  reports: ['Malformed tools are left out: /tools/1 has a definition of more than 1048576 bytes'],
};

describe('a tool with an enum of 200,000 values costs that tool, not the list', () => {
  test.each<[string, (visit: Visit) => void]>([
    ['over HTTP, as JSON', (visit) => visit.result(LIST)],
    [
      'over HTTP, as an event',
      (visit) => {
        visit.event({ data: visit.answer(LIST) });
        visit.response.end();
      },
    ],
  ])('%s', async (_how, list) => {
    const server = await rawServer({ ...stateless, 'tools/list': list });
    expect(await listed(server.url)).toEqual(EXPECTED);
  });

  test('from a program', async () => {
    const code = `
      const discovered = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'public' };
      const values = Array.from({ length: 200_000 }, (_, at) => 'value ' + at);
      const inputSchema = { type: 'object' };
      const huge = { type: 'object', properties: { one: { enum: values } } };
      const tools = [{ name: 'first', inputSchema }, { name: 'huge', inputSchema: huge }, { name: 'last', inputSchema }];
      const results = { 'server/discover': discovered, 'tools/list': { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'public' } };
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }) + '\\n');
      });
    `;
    expect(await listed({ command: process.execPath, args: ['-e', code] })).toEqual(EXPECTED);
  });

  test('over WebSocket', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    closing.push(() => {
      for (const client of server.clients) client.terminate();
      server.close();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const discovered = {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'public',
    };
    server.on('connection', (socket) => {
      socket.on('message', (data) => {
        const { id, method } = JSON.parse(String(data));
        const result = method === 'tools/list' ? LIST : { resultType: 'complete', ...discovered };
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    const { port } = server.address() as { port: number };
    expect(await listed(webSocketTransport(`ws://127.0.0.1:${port}`))).toEqual(EXPECTED);
  });
});

test('a result of two million numbers is received', async () => {
  const numbers = Array.from({ length: 2_000_000 }, () => 12345);
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => visit.result({ resultType: 'complete', content: [], structuredContent: { numbers } }),
  });
  const mcp = await connect(server.url);
  const { structuredContent } = await mcp.callTool('tool');
  expect((structuredContent as { numbers: number[] }).numbers.length).toBe(2_000_000);
  await mcp.close();
});
