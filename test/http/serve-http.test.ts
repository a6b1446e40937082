/** `serveHttp`: where it listens, what it refuses, and what is left when it is closed. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveHttp } from 'mcpp/http';
import { expect, test } from 'vitest';
import { call, initialize, POST, stateless, statelessHeaders } from './messages.ts';
import { connectTo, rawRequest } from './raw.ts';
import { makeStage } from './stage.ts';

const list = stateless(1, 'tools/list');

test('it listens on this machine only, at /mcp, and says where', async () => {
  const { url, port, close } = await serveHttp(makeStage().server, { port: 0 });
  expect(url).toBe(`http://127.0.0.1:${port}/mcp`);
  const answer = await fetch(url, { method: 'POST', headers: statelessHeaders(list), body: JSON.stringify(list) });
  expect(answer.status).toBe(200);
  const elsewhere = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: POST, body: '{}' });
  expect([elsewhere.status, await elsewhere.json()]).toMatchObject([
    404,
    { error: { message: 'There is nothing here; the MCP endpoint is at /mcp' } },
  ]);
  const query = await fetch(`${url}?a=b`, {
    method: 'POST',
    headers: statelessHeaders(list),
    body: JSON.stringify(list),
  });
  expect(query.status).toBe(200);
  await close();
  await expect(fetch(url)).rejects.toThrow();
});

test('an idle connection stays open for longer than the 60 s of load balancers', async () => {
  const { url, close } = await serveHttp(makeStage().server, { port: 0 });
  const answer = await fetch(url, { method: 'POST', headers: statelessHeaders(list), body: JSON.stringify(list) });
  const seconds = Number(/timeout=(\d+)/.exec(answer.headers.get('keep-alive') ?? '')?.[1]);
  expect(seconds).toBeGreaterThanOrEqual(65);
  await close();
});

test.each(['0.0.0.0', '::', '192.0.2.1'])(
  '%s is refused without "hosts" or "auth", with what to do',
  async (address) => {
    await expect(serveHttp(makeStage().server, { port: 0, address })).rejects.toThrow(
      `serveHttp: ${address} can be reached by other machines. Say by which names with "hosts"`,
    );
  },
);

test('with "hosts" or with "auth" it listens everywhere', async () => {
  for (const options of [{ hosts: ['mcp.example.com'] }, { auth: () => ({ subject: 'a' }) }]) {
    const { close, port } = await serveHttp(makeStage().server, { port: 0, address: '0.0.0.0', ...options });
    const client = await connectTo(port);
    const fields = Object.entries(statelessHeaders(list)).map(([name, value]) => `${name}: ${value}`);
    client.write(rawRequest('POST /mcp HTTP/1.1', ['Host: mcp.example.com', ...fields], JSON.stringify(list)));
    expect((await client.answer()).status).toBe(200);
    client.destroy();
    await close();
  }
});

test('a port that is taken is told in words', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const failed = serveHttp(makeStage().server, { port });
  await expect(failed).rejects.toThrow(
    `serveHttp: port ${port} of 127.0.0.1 is taken: pass another as "port", or 0 for any free one`,
  );
  await expect(failed).rejects.toMatchObject({ cause: { code: 'EADDRINUSE' } });
  other.close();
});

test('an address this machine does not have is told in words', async () => {
  const failed = serveHttp(makeStage().server, { port: 0, address: '192.0.2.1', hosts: ['a.example'] });
  await expect(failed).rejects.toThrow('serveHttp: this machine does not have the address 192.0.2.1');
});

test.each(['mcp', '/mcp?x=1', '/a b', '//x'])('a path has to be one: %s', async (path) => {
  await expect(serveHttp(makeStage().server, { port: 0, path })).rejects.toThrow('path must be a path');
});

test.each([-1, 65_536, 1.5, Number.NaN, 'abc' as never])('a port has to be one: %s', async (port) => {
  await expect(serveHttp(makeStage().server, { port })).rejects.toThrow('port must be 0 to 65535');
});

test('what is no server and what is no authenticator is refused in words', async () => {
  await expect(serveHttp({} as never)).rejects.toThrow('serveHttp needs an McpServer');
  const options = { port: 0, address: '0.0.0.0', auth: 'secret' as never };
  await expect(serveHttp(makeStage().server, options)).rejects.toThrow('auth must be a function');
});

test.each([
  [{ keepAliveMs: 0 }, 'keepAliveMs must be a positive number'],
  [{ limits: { bodyBytes: -1 } }, 'limits.bodyBytes must be a positive number'],
  [{ sessions: { max: Number.NaN } }, 'sessions.max must be a positive number'],
])('%j is refused', async (options, message) => {
  await expect(serveHttp(makeStage().server, { port: 0, ...options })).rejects.toThrow(message);
});

test('closing waits for the last answer to leave, also if it is large', async () => {
  const stage = makeStage();
  const { url, close } = await serveHttp(stage.server, { port: 0 });
  const request = call(1, 'wait', {}, true);
  const answer = fetch(url, { method: 'POST', headers: statelessHeaders(request), body: JSON.stringify(request) });
  const begun = await stage.begun();
  const closed = close({ graceMs: 60_000 });
  const text = 'x'.repeat(2 * 1024 * 1024);
  begun.end(text);
  expect(await (await answer).json()).toMatchObject({ result: { content: [{ text }] } });
  await closed;
});

test('while it closes, whoever comes is told to come back', async () => {
  const stage = makeStage();
  const { url, close } = await serveHttp(stage.server, { port: 0 });
  const request = call(1, 'wait', {}, true);
  const answer = fetch(url, { method: 'POST', headers: statelessHeaders(request), body: JSON.stringify(request) });
  const begun = await stage.begun();
  const closed = close({ graceMs: 60_000 });
  const late = await fetch(url, { method: 'POST', headers: statelessHeaders(list), body: JSON.stringify(list) });
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  begun.end('done');
  expect((await answer).status).toBe(200);
  await closed;
});

test('nothing is left open: not the connections of clients that keep them, nor of those that never said a word', async () => {
  const { port, close } = await serveHttp(makeStage().server, { port: 0 });
  const [used, silent, half] = [await connectTo(port), await connectTo(port), await connectTo(port)];
  const head = ['Host: localhost', 'Content-Type: application/json'];
  used.write(rawRequest('POST /mcp HTTP/1.1', head, JSON.stringify(initialize())));
  expect((await used.answer()).status).toBe(200);
  half.write(rawRequest('POST /mcp HTTP/1.1', [...head, 'Content-Length: 100']));
  await close();
  await Promise.all([used.closed, silent.closed, half.closed]);
});
