/** Handlers and middleware that return what JSON does not write as an object: the request still gets one valid response. */

import { memoryPair } from 'mcpp';
import { connect } from 'mcpp/client';
import { McpServer, serve } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { claim, open, REVISIONS } from '../wire.ts';
import { sendBatch, TRANSPORTS } from './every-transport.ts';

const ODD: readonly (readonly [name: string, make: () => unknown])[] = [
  ['a boxed string', () => new String('x')],
  ['a boxed string with members', () => Object.assign(new String('x'), { content: [] })],
  ['a boxed number', () => new Number(5)],
  ['a boxed boolean', () => new Boolean(true)],
  ['a boxed bigint', () => Object(1n)],
  ['a date', () => new Date(0)],
  ['toJSON that returns a string', () => ({ content: [], toJSON: () => 'x' })],
  ['toJSON that returns null', () => ({ content: [], toJSON: () => null })],
  ['toJSON that returns an array', () => ({ content: [], toJSON: () => [1] })],
  ['toJSON that returns undefined', () => ({ content: [], toJSON: () => undefined })],
  [
    'toJSON that throws',
    () => ({
      content: [],
      toJSON: () => {
        throw new Error('secret');
      },
    }),
  ],
  ['an array', () => [1]],
  ['a string', () => 'x'],
  ['null', () => null],
];

const failure = {
  jsonrpc: '2.0',
  id: 7,
  error: { code: -32603, message: expect.stringMatching(/^Internal error \(reference [0-9a-f]{8}\)$/) },
};
const request = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: claim() } });

describe.each(ODD)('%s', (_, make) => {
  const build = () => {
    const onError = vi.fn();
    const server = new McpServer({ name: 's', version: '1' }, { onError })
      .registerTool('t', {}, () => 'fine')
      .setHandler('own/sync', make as () => object)
      .setHandler('own/async', async () => make() as object);
    return { onError, server };
  };

  test.each(TRANSPORTS)('of a handler, over %s', async (_name, send) => {
    for (const method of ['own/sync', 'own/async']) {
      const { onError, server } = build();
      const received = await send(server, request(method));
      expect(received.map((text) => JSON.parse(text))).toEqual([failure]);
      expect(onError).toHaveBeenCalledTimes(1);
    }
  });

  test.each(TRANSPORTS)('of middleware, over %s', async (_name, send) => {
    const { onError, server } = build();
    server.use(() => make() as never);
    const received = await send(server, request('tools/call', { name: 't', arguments: {} }));
    expect(received.map((text) => JSON.parse(text))).toEqual([failure]);
    expect(onError).toHaveBeenCalledTimes(1);
  });

  test.each(REVISIONS)('of a handler, on %s', async (revision) => {
    const wire = await open(build().server, { revision });
    expect((await wire.call('own/sync')).error).toEqual(failure.error);
    expect((await wire.call('tools/call', { name: 't', arguments: {} })).result).toBeDefined();
  });

  test('in a batch, beside a response that is fine', async () => {
    const { server } = build();
    expect(
      await sendBatch(server, [
        '{"jsonrpc":"2.0","id":7,"method":"own/sync"}',
        '{"jsonrpc":"2.0","id":8,"method":"ping"}',
      ]),
    ).toEqual([failure, { jsonrpc: '2.0', id: 8, result: {} }]);
  });
});

test('an object whose toJSON returns an object is a result', async () => {
  const server = new McpServer({ name: 's', version: '1' }).setHandler('own/method', () => ({
    a: 1,
    toJSON: () => ({ b: 2 }),
  }));
  for (const revision of REVISIONS) {
    const wire = await open(server, { revision });
    const { result } = await wire.call('own/method');
    expect(result).toMatchObject({ b: 2 });
    expect(result).not.toHaveProperty('a');
  }
});

test.each(ODD.filter(([name]) => name.startsWith('toJSON')))(
  'a client whose handler returns %s answers the server with one error',
  async (_, make) => {
    const errors: Error[] = [];
    const server = new McpServer({ name: 's', version: '1' }).registerTool('ask', {}, async (__, ctx) => {
      const error = await ctx.sample({ messages: [], maxTokens: 1 }).catch((thrown: unknown) => thrown);
      return String(error);
    });
    const [near, far] = memoryPair();
    await serve(server, far);
    const client = await connect(near, {
      revision: '2025-11-25',
      onError: (error) => errors.push(error),
      onSample: () =>
        Object.assign(make() as object, { role: 'user', model: 'm', content: { type: 'text', text: '' } }) as never,
    });
    const { content } = await client.callTool('ask', {});
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining('The client failed to answer') }]);
    expect(errors).toHaveLength(1);
    await client.close();
  },
);
