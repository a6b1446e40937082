/** What HTTP/1.1 lets a client do to a connection. */

import { describe, expect, test } from 'vitest';
import { node, type Reached } from './faces.ts';
import { call, initialize, type Message, stateless, statelessHeaders } from './messages.ts';
import { answerTo, connectTo, rawRequest } from './raw.ts';
import { makeStage } from './stage.ts';

function rawPost(message: Message, fields: readonly string[] = []): string {
  const own = Object.entries(statelessHeaders(message)).map(([name, value]) => `${name}: ${value}`);
  return rawRequest('POST /mcp HTTP/1.1', ['Host: localhost', ...own, ...fields], JSON.stringify(message));
}

const list = stateless(1, 'tools/list');

async function withServer(
  use: (reached: Reached, stage: ReturnType<typeof makeStage>) => Promise<void>,
): Promise<void> {
  const stage = makeStage();
  const reached = await node.open(stage.server);
  await use(reached, stage);
  await reached.close();
}

test('a body with two lengths gets 400, whichever of them is right', () =>
  withServer(async ({ port }) => {
    const body = JSON.stringify(list);
    const both = [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'];
    const smuggled = `${rawPost(list, both).split('\r\n\r\n')[0]}\r\n\r\n0\r\n\r\n${rawPost(list)}`;
    const client = await connectTo(port);
    client.write(smuggled);
    expect((await client.upTo('\r\n')).toString()).toBe('HTTP/1.1 400 Bad Request\r\n');
    await client.closed;
    const twice = await connectTo(port);
    twice.write(rawPost(list, ['Content-Length: 4', 'Content-Length: 5']));
    expect((await twice.upTo('\r\n')).toString()).toBe('HTTP/1.1 400 Bad Request\r\n');
    twice.destroy();
  }));

test('requests that come without waiting are answered in their order', () =>
  withServer(async ({ port }, stage) => {
    const client = await connectTo(port);
    client.write(rawPost(call(1, 'wait', { name: 'a' }, true)));
    client.write(rawPost(call(2, 'echo', { text: 'b' }, true)) + rawPost(call(3, 'echo', { text: 'c' }, true)));
    (await stage.begun()).end('a');
    const answers = [await client.answer(), await client.answer(), await client.answer()];
    expect(answers.map(({ body }) => JSON.parse(body).result.content[0].text)).toEqual(['a', 'b', 'c']);
    client.destroy();
  }));

test('a client that hangs up takes back all it has asked, also what waits behind others', () =>
  withServer(async ({ port }, stage) => {
    const client = await connectTo(port);
    const names = Array.from({ length: 20 }, (_, index) => `call ${index}`);
    for (const [id, name] of names.entries()) client.write(rawPost(call(id, 'wait', { name }, true)));
    const calls = await Promise.all(names.map(() => stage.begun()));
    expect(calls.map(({ name }) => name)).toEqual(names);
    client.destroy();
    await Promise.all(calls.map(({ aborted }) => aborted));
  }));

test('an offer to speak another protocol is passed over', () =>
  withServer(async ({ port }) => {
    const fields = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'];
    expect((await answerTo(port, rawPost(list, fields))).status).toBe(200);
  }));

test('whoever asks before sending a body is told to send it', () =>
  withServer(async ({ port }) => {
    const client = await connectTo(port);
    const [head, body] = rawPost(list, ['Expect: 100-continue']).split('\r\n\r\n');
    expect((await client.write(`${head}\r\n\r\n`).answer()).status).toBe(100);
    expect((await client.write(body ?? '').answer()).status).toBe(200);
    client.destroy();
  }));

test('900 header fields are read; 40 KB of them get 431', () =>
  withServer(async ({ port }) => {
    const many = Array.from({ length: 900 }, (_, index) => `X${index}: `);
    expect((await answerTo(port, rawPost(list, many))).status).toBe(200);
    const client = await connectTo(port);
    client.write(rawPost(list, [`X: ${'x'.repeat(40 * 1024)}`]));
    expect((await client.upTo('\r\n')).toString()).toBe('HTTP/1.1 431 Request Header Fields Too Large\r\n');
    client.destroy();
  }));

describe('a header that is sent twice', () => {
  test.each([
    ['two methods', ['Mcp-Method: tools/call'], 400],
    ['the same method twice', ['Mcp-Method: tools/list'], 400],
    ['two versions', ['MCP-Protocol-Version: 2025-11-25'], 400],
    ['two types of body', ['Content-Type: text/plain'], 415],
  ])('%s: %j beside the right one is not passed over', (_, fields, status) =>
    withServer(async ({ port }) => {
      const answer = await answerTo(port, rawPost(list, fields));
      expect([answer.status, answer.body.includes('result')]).toEqual([status, false]);
    }),
  );

  test('two session ids are none', () =>
    withServer(async ({ port }) => {
      const opened = await answerTo(port, rawPost(initialize()).replace(/^mcp-.*\r\n/gim, ''));
      const id = /^mcp-session-id: (.+)$/im.exec(opened.head)?.[1];
      const fields = ['Host: localhost', 'Content-Type: application/json', `Mcp-Session-Id: ${id}`];
      const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const line = 'POST /mcp HTTP/1.1';
      expect((await answerTo(port, rawRequest(line, fields, ping))).status).toBe(200);
      expect((await answerTo(port, rawRequest(line, [...fields, 'Mcp-Session-Id: other'], ping))).status).toBe(404);
      expect((await answerTo(port, rawRequest(line, [...fields, `Mcp-Session-Id: ${id}`], ping))).status).toBe(404);
    }));

  test('two Authorization lines are none', async () => {
    const seen: unknown[] = [];
    const reached = await node.open(makeStage().server, {
      auth: (credentials) => {
        seen.push(credentials && [credentials.scheme, credentials.token]);
        return credentials ? { subject: credentials.token } : { status: 401 };
      },
    });
    const fields = ['Authorization: Bearer alice', 'Authorization: Bearer bob'];
    expect((await answerTo(reached.port, rawPost(list, fields.slice(0, 1)))).status).toBe(200);
    expect((await answerTo(reached.port, rawPost(list, fields))).status).toBe(401);
    expect(seen).toEqual([['bearer', 'alice'], undefined]);
    await reached.close();
  });
});

test('a line end cannot be smuggled into a header', () =>
  withServer(async ({ port }) => {
    const client = await connectTo(port);
    client.write(rawPost(list, ['Mcp-Param-X: a\nMcp-Name: b']));
    const status = (await client.upTo('\r\n')).toString();
    expect(status).toBe('HTTP/1.1 400 Bad Request\r\n');
    client.destroy();
  }));
