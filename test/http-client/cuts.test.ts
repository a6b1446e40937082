/** A proxy that cuts a response at any byte: every call ends, with its answer or with an error that says what happened. */

import { connect } from 'mcpp/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PRIOR } from '../script.ts';
import { bytesServer, closeAll } from './raw-server.ts';

const unhandled = vi.fn();

beforeEach(() => {
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});

afterEach(async () => {
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  await closeAll();
});

const BODY = '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}';
const chunked = (...chunks: string[]): string =>
  [...chunks, ''].map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('');

const RESPONSES = {
  'JSON with a length': `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  'JSON in chunks': `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(BODY.slice(0, 9), BODY.slice(9))}`,
  'JSON until the connection ends': `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${BODY}`,
  'a stream': `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(': hi\n\n', 'id: 1\nda', `ta: ${BODY}\n\n`)}`,
  'a stream until the connection ends': `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1\ndata: ${BODY}\n\n`,
  'an error': `HTTP/1.1 500 No\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
};

describe.each(Object.entries(RESPONSES))('%s', (_name, response) => {
  test.each([
    ['ended', false],
    ['broken', true],
  ])('%s after each of its bytes', async (_how, breaks) => {
    let length = 0;
    const url = await bytesServer(() => ({ bytes: response.slice(0, length), breaks }));
    const outcomes = new Set<string>();
    for (; length <= response.length; length++) {
      const mcp = await connect(url, { profile: PRIOR });
      const outcome = await mcp.callTool('tool').then(
        () => 'answered',
        (error: { code?: unknown }) => String(error.code),
      );
      outcomes.add(outcome);
      // All of it is there: then it is an answer, whatever becomes of the connection.
      if (length === response.length) expect(outcome).toBe(_name === 'an error' ? 'http-error' : 'answered');
      if (length < response.indexOf(BODY.slice(-9))) expect(outcome).not.toBe('answered');
      await mcp.close();
    }
    const known = ['answered', 'closed', 'malformed', 'http-error'];
    expect([...outcomes].filter((outcome) => !known.includes(outcome))).toEqual([]);
    expect(outcomes).toContain('closed');
  });
});

test('a server that wants to speak something else than HTTP is an error', async () => {
  const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';
  const url = await bytesServer(() => ({ bytes: head, breaks: false }));
  await expect(connect(url)).rejects.toMatchObject({ name: 'ConnectionError' });
});

test('bytes that are no HTTP reject the call', async () => {
  const url = await bytesServer(() => ({ bytes: 'SSH-2.0-OpenSSH_9.6\r\n', breaks: false }));
  await expect(connect(url)).rejects.toMatchObject({
    code: 'malformed',
    message: expect.stringContaining('something that is not HTTP'),
  });
});
