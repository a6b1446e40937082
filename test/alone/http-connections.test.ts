/** Connections that are opened and not used, and clients that ask and do not read. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { stateless, statelessHeaders } from '../http/messages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sockets: Socket[] = [];
let child: ChildProcess | undefined;

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  if (!child) return;
  child.kill();
  await once(child, 'exit');
  child = undefined;
});

/** Within the share of one caller. Each side has as many file descriptors as the system gives a process; some are in use. */
const MOST = 8000;

function mostConnections(): number {
  if (process.platform === 'win32') return MOST;
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return limit === 'unlimited' ? MOST : Math.min(MOST, Number(limit) - 500);
}

/** Starts a server in a process of its own; it prints its port. */
async function startServer(): Promise<number> {
  const script = `
    import { serveHttp } from 'mcpp/http';
    import { McpServer } from 'mcpp/server';
    const { port } = await serveHttp(new McpServer({ name: 's', version: '1' }).registerTool('t', {}, () => 'x'), { port: 0 });
    console.log(port);
  `;
  child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return Number(line.toString());
}

async function openSocket(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  // Who is idle for long is let go.
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
}

const count = mostConnections();

test(`with ${count} idle connections open, somebody else is answered within a second`, async () => {
  const port = await startServer();
  // As many at once as the system keeps waiting.
  for (let open = 0; open < count; open += 250) {
    await Promise.all(Array.from({ length: Math.min(250, count - open) }, () => openSocket(port)));
  }
  expect(sockets.length).toBe(count);
  const list = stateless(1, 'tools/list');
  const begun = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: statelessHeaders(list),
    body: JSON.stringify(list),
  });
  expect(await answer.json()).toMatchObject({ result: { tools: [{ name: 't' }] } });
  expect(performance.now() - begun).toBeLessThan(1000);
}, 120_000);

// The server's own memory is measured, so the script is all there is: a server, and clients that do not read.
const NEVER_READ = `
  import { createServer } from 'node:http';
  import { connect } from 'node:net';
  import { nodeHandler } from 'mcpp/http';
  import { McpServer } from 'mcpp/server';
  const server = new McpServer({ name: 's', version: '1' }).registerResource('test://r', { name: 'r' }, () => 'r');
  const handler = nodeHandler(server);
  const http = createServer(handler);
  let open = 0;
  http.on('connection', (socket) => { open++; socket.on('close', () => open--); });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const params = { notifications: { resourceSubscriptions: ['test://r'] }, _meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
  const clients = Array.from({ length: 20 }, () => {
    const socket = connect(http.address().port, '127.0.0.1');
    socket.on('error', () => {}).pause();
    socket.write('POST /mcp HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\n' +
      'Accept: text/event-stream\\r\\nMCP-Protocol-Version: 2026-07-28\\r\\nMcp-Method: subscriptions/listen\\r\\n' +
      'Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);
    return socket;
  });
  while (open < clients.length) await new Promise((resolve) => setImmediate(resolve));
  const used = () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  let most = 0;
  let sent = 0;
  // A quarter of a MiB to each, again and again, until all are cut off.
  while (open > 0 && sent < 1024) {
    server.resourceUpdated('test://r/' + sent + 'x'.repeat(256 * 1024));
    sent++;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, used() - before);
  }
  console.log(JSON.stringify({ open, most, sent }));
  for (const socket of clients) socket.destroy();
  await handler.close();
  http.close();
`;

test('20 clients that listen and never read take at most 4 MiB each and some, and are cut off', () => {
  const args = ['--expose-gc', '--input-type=module', '-e', NEVER_READ];
  const { open, most } = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
  expect(open).toBe(0);
  expect(most).toBeLessThan(20 * 5 * 1024 * 1024);
}, 120_000);

// 20 senders of 64 MB each, as fast as they are read.
const TOO_MUCH = `
  import { createServer } from 'node:http';
  import { connect } from 'node:net';
  import { nodeHandler } from 'mcpp/http';
  import { McpServer } from 'mcpp/server';
  const handler = nodeHandler(new McpServer({ name: 's', version: '1' }));
  const http = createServer(handler);
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const chunk = Buffer.from('10000\\r\\n' + ' '.repeat(0x10000) + '\\r\\n');
  const used = () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  let most = 0;
  const statuses = await Promise.all(Array.from({ length: 20 }, () => new Promise((resolve) => {
    const socket = connect(http.address().port, '127.0.0.1');
    let status;
    let sent = 0;
    socket.on('data', (data) => { status ??= data.toString().slice(9, 12); });
    socket.on('error', () => {});
    socket.on('close', () => resolve(status));
    socket.write('POST /mcp HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n');
    const send = () => {
      if (sent % 16 === 0) most = Math.max(most, used() - before);
      if (sent++ < 1024 && !socket.destroyed) socket.write(chunk, send);
    };
    send();
  })));
  console.log(JSON.stringify({ most, statuses }));
  await handler.close();
  http.close();
`;

test('20 bodies of 64 MB at the same time take at most what one caller may keep, and get 413, or 503 while that is taken', () => {
  const args = ['--expose-gc', '--input-type=module', '-e', TOO_MUCH];
  const { most, statuses } = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
  expect(statuses.filter((status: string) => status !== '413' && status !== '503')).toEqual([]);
  expect(statuses).toContain('413');
  expect(most).toBeLessThan(20 * 5 * 1024 * 1024);
}, 120_000);
