/** Bodies that are too large, too slow, cut off, or no JSON. */

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FACES, node, openSession, type Reached } from './faces.ts';
import { POST, stateless, statelessHeaders } from './messages.ts';
import { connectTo, type RawConnection, rawRequest } from './raw.ts';
import { makeStage } from './stage.ts';

const MiB = 1024 * 1024;
const list = stateless(1, 'tools/list');
const HEAD = ['Host: localhost', 'Content-Type: application/json', 'Accept: application/json'];

async function isAlive(reached: Reached): Promise<boolean> {
  const answer = await reached.send({ headers: statelessHeaders(list), body: JSON.stringify(list) });
  return answer.status === 200 && 'result' in (await answer.json());
}

describe.each(FACES)('through $name', ({ open }) => {
  test.each([
    ['bytes that are no UTF-8', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"p\xff\xfe"}', 'latin1'), -32700],
    ['text that is no JSON', '{"jsonrpc":"2.0","id":1,', -32700],
    ['nothing at all', '', -32700],
    ['a null character', '{"jsonrpc":"2.0","id":1,"method":"tools/list\u0000"}', -32700],
    ['a number', '42', -32600],
    ['an empty batch', '[]', -32600],
    ['a request whose id is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['a message of another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    [
      '100,000 brackets',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}`,
      -32600,
    ],
    ['brackets that do not close', '['.repeat(100_000), -32700],
    ['200,000 elements', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${'1,'.repeat(2e5)}1]}}`, -32600],
  ])('%s: 400', async (_, text, code) => {
    const reached = await open(makeStage().server);
    const answer = await reached.send({ headers: POST, body: text });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { code: number; message: string } };
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('[[');
    expect(await isAlive(reached)).toBe(true);
    await reached.close();
  });

  test('one byte more than allowed gets 413, however it says its length; as many as allowed are read', async () => {
    const reached = await open(makeStage().server, { limits: { bodyBytes: 1000 } });
    const text = JSON.stringify(list);
    const most = await reached.send({ headers: statelessHeaders(list), body: text.padEnd(1000) });
    expect(most.status).toBe(200);
    const more = await reached.send({ headers: statelessHeaders(list), body: text.padEnd(1001) });
    expect(more.status).toBe(413);
    expect(await more.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'The body may have 1000 bytes' },
    });
    await reached.close();
  });

  test('by default 4 MiB are read', async () => {
    const reached = await open(makeStage().server);
    const text = JSON.stringify(list);
    expect((await reached.send({ headers: statelessHeaders(list), body: text.padEnd(4 * MiB) })).status).toBe(200);
    expect((await reached.send({ headers: statelessHeaders(list), body: text.padEnd(4 * MiB + 1) })).status).toBe(413);
    await reached.close();
  });

  test.each([{}, { 'mcp-protocol-version': '2026-07-28' }])(
    'the error of an invalid response does not have its id, which is not an id of the client: %o',
    async (headers) => {
      const reached = await open(makeStage().server);
      const body = '{"jsonrpc":"2.0","id":4,"result":"text"}';
      const answer = await reached.send({ headers: { ...POST, ...headers }, body });
      expect(answer.status).toBe(400);
      const error = { code: -32600, message: 'Invalid response: "result" must be an object' };
      expect(await answer.json()).toEqual({ jsonrpc: '2.0', error });
      await reached.close();
    },
  );

  test('in a session, what cannot be read is told in the words of its revision', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached, { version: '2025-06-18' });
    const answer = await reached.send({ headers: { ...POST, ...session }, body: '{' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: null, error: { code: -32700 } });
    await reached.close();
  });
});

describe('on the wire', () => {
  const chunk = (size: number): string => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
  const head = (length: string): string => rawRequest('POST /mcp HTTP/1.1', [...HEAD, length]);

  test('a length of 10 GB gets 413 before a byte of it was sent, and the connection is closed', async () => {
    const reached = await node.open(makeStage().server);
    const client = await connectTo(reached.port);
    const answer = await client.write(head('Content-Length: 10737418240')).answer();
    expect(answer.status).toBe(413);
    expect(answer.head).toMatch(/^connection: close/im);
    await client.closed;
    expect(await isAlive(reached)).toBe(true);
    await reached.close();
  });

  test('a body in chunks gets 413 at the limit, while it is still being sent', async () => {
    const reached = await node.open(makeStage().server);
    const client = await connectTo(reached.port);
    client.write(head('Transfer-Encoding: chunked'));
    for (let sent = 0; sent <= 4 * MiB; sent += MiB) client.write(chunk(MiB));
    const answer = await client.answer();
    expect(answer.status).toBe(413);
    // Whoever goes on sending meanwhile loses nothing but the connection.
    client.write(chunk(MiB));
    await client.closed;
    expect(await isAlive(reached)).toBe(true);
    await reached.close();
  });

  test('a client that sends everything before it reads gets to see its 413', async () => {
    const reached = await node.open(makeStage().server);
    const answer = await fetch(`http://127.0.0.1:${reached.port}/mcp`, {
      method: 'POST',
      headers: POST,
      body: new Uint8Array(5 * MiB),
    });
    expect(answer.status).toBe(413);
    await reached.close();
  });

  test('200 MB in a small gzip are never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MiB));
    const reached = await node.open(makeStage().server);
    const client = await connectTo(reached.port);
    const fields = [...HEAD, 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`];
    const answer = await client.write(rawRequest('POST /mcp HTTP/1.1', fields)).write(bomb).answer();
    expect(answer.status).toBe(415);
    client.destroy();
    await reached.close();
  });

  test('100 bodies that end half-way, by FIN and by RST, harm nobody', async () => {
    const stage = makeStage();
    const reached = await node.open(stage.server);
    const half = async (hangUp: (client: RawConnection) => void): Promise<void> => {
      const client = await connectTo(reached.port);
      client.write(`${head('Content-Length: 1000')}{"jsonrpc":"2.0",`);
      await new Promise((resolve) => client.socket.write(' ', resolve));
      hangUp(client);
      await client.closed;
    };
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        half(({ socket }) => (index % 2 === 0 ? socket.end() : socket.resetAndDestroy())),
      ),
    );
    expect(await isAlive(reached)).toBe(true);
    expect(stage.errors).toEqual([]);
    await reached.close();
  });

  test('a chunk whose size is no number gets 400', async () => {
    const reached = await node.open(makeStage().server);
    const client = await connectTo(reached.port);
    client.write(`${head('Transfer-Encoding: chunked')}5\r\n{"a":\r\nzz\r\n`);
    expect((await client.upTo('\r\n')).toString()).toBe('HTTP/1.1 400 Bad Request\r\n');
    await client.closed;
    expect(await isAlive(reached)).toBe(true);
    await reached.close();
  });

  test('200 bodies that do not come in time get 408 each, and the others do not wait for them', async () => {
    const reached = await node.open(makeStage().server, { limits: { bodyMs: 500 } });
    const clients = await Promise.all(Array.from({ length: 200 }, () => connectTo(reached.port)));
    for (const client of clients) client.write(`${head('Content-Length: 1000')}{"a"`);
    expect(await isAlive(reached)).toBe(true);
    const answers = await Promise.all(clients.map((client) => client.answer()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([408]));
    await Promise.all(clients.map(({ closed }) => closed));
    await reached.close();
  });

  test('whoever is refused before its body came keeps its connection if the body comes', async () => {
    const reached = await node.open(makeStage().server);
    const client = await connectTo(reached.port);
    const fields = ['Host: localhost', 'Content-Type: text/plain', 'Content-Length: 5'];
    client.write(rawRequest('POST /mcp HTTP/1.1', fields));
    expect((await client.answer()).status).toBe(415);
    client.write('hello');
    const text = JSON.stringify(list);
    const lines = Object.entries(statelessHeaders(list)).map(([name, value]) => `${name}: ${value}`);
    client.write(rawRequest('POST /mcp HTTP/1.1', ['Host: localhost', ...lines], text));
    expect((await client.answer()).status).toBe(200);
    client.destroy();
    await reached.close();
  });
});

test('bodies that arrive in pieces have a bound together: 503 beyond it, and there is room again when they end', async () => {
  const reached = await node.open(makeStage().server, { limits: { bodiesBytes: 1000 } });
  const sendPart = async (bytes: number): Promise<RawConnection> => {
    const client = await connectTo(reached.port);
    return client.write(rawRequest('POST /mcp HTTP/1.1', [...HEAD, 'Content-Length: 2000'], ' '.repeat(bytes)));
  };
  const first = await sendPart(800);
  await expect
    .poll(async () => {
      const second = await sendPart(100);
      const status = await Promise.race([second.answer().then((answer) => answer.status), isAlive(reached)]);
      second.destroy();
      return status;
    })
    .toBe(503);
  first.destroy();
  const third = await sendPart(800);
  await expect.poll(() => isAlive(reached)).toBe(true);
  third.destroy();
  await reached.close();
});
