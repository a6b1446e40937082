/** Connections that are kept open: used again, replaced when they are gone, and none left behind. */

import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect } from 'mcpp/client';
import { afterEach, expect, test, vi } from 'vitest';
import { PRIOR } from '../script.ts';
import { closeAll, rawServer, stateful, type Visit } from './raw-server.ts';

afterEach(closeAll);

const BODY = '{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":[],"contents":[]}}';

/** Answers the first request of each connection; the second breaks it without a word, as if it had been idle too long. */
async function forgetful(): Promise<{ url: string; requests: string[]; close: () => void }> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let count = 0;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      requests.push(/"method":"([^"]+)"/.exec(text)?.[1] ?? '');
      if (++count > 1) return void socket.resetAndDestroy();
      const body = BODY.replace('ID', /"id":(\d+)/.exec(text)?.[1] ?? '0');
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/mcp`, requests, close: () => server.close() };
}

test('a connection that broke when it was used again is replaced, for what can be repeated', async () => {
  const server = await forgetful();
  const mcp = await connect(server.url, { profile: PRIOR });
  await mcp.readResource('file:///a', { fresh: true });
  await mcp.readResource('file:///a', { fresh: true });
  expect(server.requests).toEqual(['resources/read', 'resources/read', 'resources/read']);
  // What is not known to do no harm may have been carried out.
  await expect(mcp.callTool('pay')).rejects.toMatchObject({ code: 'closed' });
  expect(server.requests.filter((method) => method === 'tools/call')).toHaveLength(1);
  await mcp.callTool('look', {}, { idempotent: true });
  await mcp.callTool('look', {}, { idempotent: true });
  await mcp.close();
  server.close();
});

test('an answer to the server and what the protocol itself says are repeated as well', async () => {
  const seen: string[] = [];
  const served = new Map<string, number>();
  const breaks = (what: string, visit: Visit): boolean => {
    seen.push(what);
    served.set(what, (served.get(what) ?? 0) + 1);
    if (served.get(what) === 1) visit.response.socket?.resetAndDestroy();
    return served.get(what) === 1;
  };
  const server = await rawServer({
    ...stateful(),
    'notifications/initialized': (visit) => breaks('initialized', visit) || visit.status(202),
    'notifications/own': (visit) => breaks('own', visit) || visit.status(202),
    response: (visit) => breaks('answer', visit) || visit.status(202),
    'prompts/get': (visit) => visit.result({ messages: [] }),
    'tools/call': (visit) => {
      visit.event({ data: { jsonrpc: '2.0', id: 'q', method: 'ping' } });
    },
  });
  const onError = vi.fn();
  const mcp = await connect(server.url, { onError });
  // Leaves connections that are kept open.
  await Promise.all(['p', 'q', 'r'].map((name) => mcp.getPrompt(name)));
  const call = mcp.callTool('ask').catch((error: unknown) => error);
  await vi.waitFor(() => expect(seen).toEqual(['initialized', 'initialized', 'answer', 'answer']));
  expect(onError).not.toHaveBeenCalled();
  // Of what is not the protocol's nobody knows what it does.
  await mcp.getPrompt('p');
  mcp.notify('notifications/own');
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
  expect(seen.filter((what) => what === 'own')).toHaveLength(1);
  await mcp.close();
  await call;
});

test('closing leaves no connection, while calls and streams are open', async () => {
  const server = await rawServer({
    ...stateful(),
    'tools/call': (visit) => visit.event({ id: 'a', data: '' }),
    GET: (visit) => visit.event({ data: '' }),
    'prompts/get': () => {},
  });
  const mcp = await connect(server.url);
  const calls = [mcp.callTool('a'), mcp.callTool('b'), mcp.getPrompt('p')].map((call) =>
    call.catch((error: { code: string }) => error.code),
  );
  await vi.waitFor(() => expect(server.visits.length).toBeGreaterThanOrEqual(7));
  await mcp.close();
  expect(await Promise.all(calls)).toEqual(['closed', 'closed', 'closed']);
  await vi.waitFor(async () => expect(await server.connections()).toBe(0));
});

test('a program that has closed its connection ends', async () => {
  const server = await rawServer({
    ...stateful(),
    GET: (visit) => visit.event({ data: '' }),
    ping: (visit) => visit.result({}),
  });
  const script = `
    import { connect } from 'mcpp/client';
    const mcp = await connect(${JSON.stringify(server.url)});
    await mcp.ping();
    await mcp.close();
    console.log(process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)));
  `;
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    timeout: 20_000,
  });
  expect(stdout).toBe('[]\n');
});
