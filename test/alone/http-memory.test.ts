/** Sessions that come and go, and requests that need none, leave nothing behind. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MB = 1024 * 1024;

/** What every script has: a server, both ways to it, and the heap after what nobody needs is gone. */
const PRELUDE = `
  import { Agent, createServer, request } from 'node:http';
  import { fetchHandler } from 'mcpp/fetch';
  import { nodeHandler } from 'mcpp/http';
  import { McpServer } from 'mcpp/server';
  const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, () => 'x');
  const post = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
    protocolVersion: '2025-11-25',
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
    clientInfo: { name: 'a client', title: 'A client of some kind', version: '1.2.3' },
  } });
  const overFetch = () => {
    const handler = fetchHandler(server);
    return {
      async send(method, headers, body) {
        const answer = await handler(new Request('http://localhost/mcp', { method, headers, body }));
        await answer.text();
        return { status: answer.status, session: answer.headers.get('mcp-session-id') };
      },
      close: () => handler.close(),
    };
  };
  const overNode = async () => {
    const handler = nodeHandler(server);
    const http = createServer(handler);
    await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const { port } = http.address();
    return {
      send: (method, headers, body) => new Promise((resolve, reject) => {
        const out = request({ host: '127.0.0.1', port, path: '/mcp', method, headers, agent }, (answer) => {
          answer.resume().once('end', () => resolve({ status: answer.statusCode, session: answer.headers['mcp-session-id'] }));
        });
        out.once('error', reject);
        out.end(body);
      }),
      async close() {
        await handler.close();
        agent.destroy();
        http.close();
      },
    };
  };
  const many = async (count, one) => {
    let next = 0;
    const work = async () => { while (next++ < count) await one(); };
    await Promise.all(Array.from({ length: 8 }, work));
  };
  const heap = async () => {
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      gc();
    }
    return process.memoryUsage().heapUsed;
  };
  const expectStatus = ({ status, session }, expected) => {
    if (status !== expected) throw new Error('got ' + status + ', not ' + expected);
    return session;
  };
`;

async function grown(face: string, warmUp: string, work: string): Promise<number> {
  const script = `${PRELUDE}
    const { send, close } = await ${face}();
    ${warmUp}
    const before = await heap();
    ${work}
    const after = await heap();
    await close();
    console.log(after - before);
  `;
  const args = ['--expose-gc', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return Number(stdout);
}

const DELETED = `async () => {
  const session = expectStatus(await send('POST', post, hello), 200);
  expectStatus(await send('DELETE', { 'mcp-session-id': session }), 204);
}`;

const ABANDONED = `await many(10_000, async () => { expectStatus(await send('POST', post, hello), 200) });`;
const REFUSED = `await many(2500, async () => {
  expectStatus(await send('POST', { ...post, origin: 'http://evil.example' }, hello), 403);
  expectStatus(await send('POST', { ...post, 'mcp-session-id': 'x' + Math.random() }, hello.replace('initialize', 'ping')), 404);
  expectStatus(await send('POST', post, '{'), 400);
  expectStatus(await send('POST', post, hello.replace('clientInfo', 'client')), 200);
});`;

// Memory is each process's own, so two at a time disturb nobody.
vi.setConfig({ maxConcurrency: 2 });

test.concurrent.each([
  ['overFetch', 'are opened and abandoned', ABANDONED],
  ['overFetch', 'are opened and deleted', `await many(10_000, ${DELETED});`],
  ['overFetch', 'are refused', REFUSED],
  ['overFetch', 'replace as many others', `${ABANDONED} ${ABANDONED}`],
  ['overNode', 'are opened and abandoned', ABANDONED],
  ['overNode', 'are opened and deleted', `await many(10_000, ${DELETED});`],
  ['overNode', 'are refused', REFUSED],
])(
  '%s, 10,000 sessions that %s leave less than 5 MB of heap',
  async (face, _, work) => {
    expect(await grown(face, `await many(1000, ${DELETED});`, work)).toBeLessThan(5 * MB);
  },
  300_000,
);

test.concurrent.each(['overFetch', 'overNode'])(
  '%s, 100,000 stateless requests leave the heap within 2 MB of what it was after the first 1,000',
  async (face) => {
    const call = `async () => { expectStatus(await send('POST', headers, body), 200) }`;
    const warmUp = `
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', arguments: {}, _meta } });
      const headers = { ...post, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 't' };
      await many(1000, ${call});`;
    expect(await grown(face, warmUp, `await many(99_000, ${call});`)).toBeLessThan(2 * MB);
  },
  300_000,
);
