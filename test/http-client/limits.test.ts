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
      /a response of more than 16777216 bytes \(option "maxResponseBytes"\)/,
    ],
    [
      'announced as the length of a JSON body',
      (visit) => {
        visit.response.writeHead(200, { 'content-type': 'application/json', 'content-length': SIZE });
        visit.response.on('error', () => {});
        visit.response.write('{');
      },
      /a response of more than 16777216 bytes \(option "maxResponseBytes"\)/,
    ],
    [
      'in one line of an event',
      (visit) => {
        visit.response.writeHead(200, { 'content-type': 'text/event-stream' });
        flood(visit.response, 'data: ');
      },
      /an event of more than 16777216 bytes \(option "maxResponseBytes"\)/,
    ],
    [
      'in the body of an error',
      (visit) => {
        visit.response.writeHead(400, { 'content-type': 'application/json' });
        flood(visit.response, '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"');
      },
      /a response of more than 16777216 bytes \(option "maxResponseBytes"\)/,
    ],
  ];

  test.each(answers)('%s are not read', async (_what, answer, error) => {
    const server = await rawServer({ ...stateless, 'tools/call': answer });
    const mcp = await connect(server.url);
    const grown = await growth(async () => {
      await expect(mcp.callTool('tool')).rejects.toMatchObject({
        code: 'too-large',
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
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'failed', cause: { code: 'too-large' } });
    await mcp.callTool('tool');
    await mcp.close();
  });
});

describe.each(['a body', 'an event'])('%s', (kind) => {
  const what = kind === 'a body' ? 'a response' : 'an event';

  test.each(['x', 'ü', '世'])(
    'of exactly maxResponseBytes is read, and of one byte more is not: %s',
    async (letter) => {
      const server = await rawServer({
        ...stateless,
        'tools/call': (visit) => {
          const { size = 0 } = (visit.message.params?.['arguments'] ?? {}) as { size?: number };
          const padded = (pad: string): object => visit.answer({ resultType: 'complete', content: [], pad });
          const room = size - JSON.stringify(padded('')).length;
          const bytes = Buffer.byteLength(letter);
          const answer = padded(letter.repeat(Math.floor(room / bytes)) + '.'.repeat(room % bytes));
          if (kind === 'a body') return visit.json(answer);
          visit.event({ data: answer });
          visit.response.end();
        },
      });
      const mcp = await connect(server.url, { maxResponseBytes: 1000 });
      expect(await mcp.callTool('tool', { size: 1000 })).toMatchObject({ content: [] });
      await expect(mcp.callTool('tool', { size: 1001 })).rejects.toMatchObject({
        code: 'too-large',
        message: `The server sent ${what} of more than 1000 bytes (option "maxResponseBytes")`,
      });
      await mcp.close();
    },
  );

  test('of 15 MiB is read', async () => {
    const server = await rawServer({
      ...stateless,
      'tools/call': (visit) => {
        const answer = visit.answer({ resultType: 'complete', content: [], pad: 'x'.repeat(15 * MIB) });
        if (kind === 'a body') return visit.json(answer);
        visit.event({ data: answer });
        visit.response.end();
      },
    });
    const mcp = await connect(server.url);
    expect(await mcp.callTool('tool')).toMatchObject({ content: [] });
    await mcp.close();
  });
});

test('the option holds for events of HTTP+SSE as well, and another session follows', async () => {
  const server = await rawServer({
    'server/discover': (visit) => visit.status(405),
    initialize: (visit) => {
      if (visit.path === '/mcp') return visit.status(405);
      visit.status(202);
      const serverInfo = { name: 'old', version: '1' };
      const data = visit.answer({ protocolVersion: '2024-11-05', capabilities: {}, serverInfo });
      server.to('GET').at(-1)?.event({ event: 'message', data });
    },
    'tools/call': (visit) => {
      visit.status(202);
      const { pad = '' } = (visit.message.params?.['arguments'] ?? {}) as { pad?: string };
      server
        .to('GET')
        .at(-1)
        ?.event({ event: 'message', data: visit.answer({ content: [], pad }) });
    },
    GET: (visit) => visit.event({ event: 'endpoint', data: '/messages' }),
  });
  const mcp = await connect(server.url, { maxResponseBytes: 1000 });
  await expect(mcp.callTool('tool', { pad: 'x'.repeat(1000) })).rejects.toMatchObject({
    code: 'too-large',
    message: 'The server sent an event of more than 1000 bytes (option "maxResponseBytes")',
  });
  expect(await mcp.callTool('tool')).toMatchObject({ content: [] });
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
  const mcp = await connect(server.url, { maxResponseBytes: 1000 });
  await expect(mcp.callTool('tool')).rejects.toMatchObject({
    code: 'too-large',
    message: 'The server sent an event of more than 1000 bytes (option "maxResponseBytes")',
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
  await expect(mcp.callTool('tool')).rejects.toMatchObject({ code: 'too-large' });
  await expect(mcp.getPrompt('p')).rejects.toMatchObject({ code: 'too-large' });
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
