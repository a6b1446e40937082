/** Servers that say too much: what arrives is bounded, and the call is rejected. */

import type { ServerResponse } from 'node:http';
import { connect } from 'mcpp/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { closeAll, eventually, rawServer, stateful, stateless, type Visit } from './raw-server.ts';

afterEach(closeAll);

const MIB = 1024 * 1024;
const SIZE = 300 * MIB;
const block = Buffer.alloc(256 * 1024, 'a');

/** Writes for as long as somebody reads. */
function flood(response: ServerResponse, head: string): void {
  let written = 0;
  response.on('error', () => {});
  response.write(head);
  const more = (): void => {
    while (written < SIZE && !response.destroyed) {
      written += block.length;
      if (!response.write(block)) return void response.once('drain', more);
    }
    if (!response.destroyed) response.end();
  };
  more();
}

/** How much more memory than before was in use, at most. */
async function growth(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 10);
  await work();
  clearInterval(timer);
  return most - before;
}

describe('300 MB', () => {
  const answers: readonly (readonly [what: string, answer: (visit: Visit) => void, error: RegExp])[] = [
    [
      'in one JSON body',
      (visit) => {
        visit.response.writeHead(200, { 'content-type': 'application/json' });
        flood(visit.response, '{"jsonrpc":"2.0","id":1,"result":{"a":"');
      },
      /an answer of more than 16777216 bytes/,
    ],
    [
      'announced as the length of a JSON body',
      (visit) => {
        visit.response.writeHead(200, { 'content-type': 'application/json', 'content-length': SIZE });
        visit.response.on('error', () => {});
        visit.response.write('{');
      },
      /an answer of more than 16777216 bytes/,
    ],
    [
      'in one line of an event',
      (visit) => {
        visit.response.writeHead(200, { 'content-type': 'text/event-stream' });
        flood(visit.response, 'data: ');
      },
      /an event of more than 4194304 characters/,
    ],
    [
      'in the body of an error',
      (visit) => {
        visit.response.writeHead(400, { 'content-type': 'application/json' });
        flood(visit.response, '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"');
      },
      /an answer of more than 16777216 bytes/,
    ],
  ];

  test.each(answers)('%s are not read', async (_what, answer, error) => {
    const server = await rawServer({ ...stateless, 'tools/call': answer });
    const mcp = await connect(server.url);
    const grown = await growth(async () => {
      await expect(mcp.callTool('tool')).rejects.toMatchObject({
        code: 'malformed',
        message: expect.stringMatching(error),
      });
    });
    expect(grown).toBeLessThan(150 * MIB);
    await server.to('tools/call')[0]?.over;
    await mcp.close();
  });

  test('of comments are read past, and the answer behind them is taken', async () => {
    const server = await rawServer({
      ...stateless,
      'tools/call': (visit) => {
        visit.response.writeHead(200, { 'content-type': 'text/event-stream' });
        const comments = Buffer.from(`:${'x'.repeat(1022)}\n`.repeat(256));
        let written = 0;
        const more = (): void => {
          while (written < SIZE / 4) {
            written += comments.length;
            if (!visit.response.write(comments)) return void visit.response.once('drain', more);
          }
          visit.event({ data: visit.answer({ resultType: 'complete', content: [] }) });
          visit.response.end();
        };
        more();
      },
    });
    const mcp = await connect(server.url);
    expect(await growth(async () => void (await mcp.callTool('tool')))).toBeLessThan(150 * MIB);
    await mcp.close();
  });

  test('on the stream that stands by itself end it, and the session goes on', async () => {
    const server = await rawServer({
      ...stateful(),
      'tools/call': (visit) => visit.result({ content: [] }),
      GET: (visit) => {
        visit.response.writeHead(200, { 'content-type': 'text/event-stream' });
        flood(visit.response, 'data: ');
      },
    });
    const onError = vi.fn();
    const mcp = await connect(server.url, { onError });
    await eventually(() => onError.mock.calls.length > 0);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'failed', cause: { code: 'malformed' } });
    await mcp.callTool('tool');
    await mcp.close();
  });
});

test('a body of exactly the limit is read, and one byte more is not', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => {
      const { size = 0 } = (visit.message.params?.['arguments'] ?? {}) as { size?: number };
      const empty = JSON.stringify(visit.answer({ resultType: 'complete', content: [], pad: '' }));
      visit.result({ resultType: 'complete', content: [], pad: 'x'.repeat(size - empty.length) });
    },
  });
  const mcp = await connect(server.url, { maxResponseBytes: 1000 });
  expect(await mcp.callTool('tool', { size: 1000 })).toMatchObject({ content: [] });
  await expect(mcp.callTool('tool', { size: 1001 })).rejects.toMatchObject({ code: 'malformed' });
  await mcp.close();
});

test('an event that comes in small pieces is counted as one', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => {
      visit.response.writeHead(200, { 'content-type': 'text/event-stream' });
      visit.response.on('error', () => {});
      for (let line = 0; line < 200; line++) visit.response.write('data: 0123456789\n');
    },
  });
  const mcp = await connect(server.url, { maxEventBytes: 1000 });
  await expect(mcp.callTool('tool')).rejects.toMatchObject({
    code: 'malformed',
    message: 'The server sent an event of more than 1000 characters',
  });
  await mcp.close();
});

test('structure is bounded as well, in a body and in an event', async () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  const text = (visit: Visit): string =>
    `{"jsonrpc":"2.0","id":${visit.message.id},"result":{"content":[],"deep":${deep}}}`;
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => visit.response.writeHead(200, { 'content-type': 'application/json' }).end(text(visit)),
    'prompts/get': (visit) => visit.event({ data: text(visit) }),
  });
  const mcp = await connect(server.url);
  await expect(mcp.callTool('tool')).rejects.toMatchObject({ code: 'malformed' });
  await expect(mcp.getPrompt('p')).rejects.toMatchObject({ code: 'malformed' });
  await mcp.close();
});

test('bytes that are no UTF-8 end a stream, and what is no message does not', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => {
      visit.response.writeHead(200, { 'content-type': 'text/event-stream' });
      visit.response.write(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a]));
    },
    'prompts/get': (visit) => {
      visit.event({ data: 'not json' });
      visit.event({ event: 'other', data: visit.answer({ no: true }) });
      visit.event({ data: visit.answer({ resultType: 'complete', messages: [] }) });
    },
  });
  const onError = vi.fn();
  const mcp = await connect(server.url, { onError });
  await expect(mcp.callTool('tool')).rejects.toMatchObject({
    code: 'malformed',
    message: expect.stringContaining('not valid UTF-8'),
  });
  expect(await mcp.getPrompt('p')).toMatchObject({ messages: [] });
  expect(onError).toHaveBeenCalledTimes(1);
  expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'malformed' });
  await mcp.close();
});
