/** Numbers that no double can hold: `1e999` would be Infinity for a handler and `null` for whoever reads it again. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Message, parsePayload, type Receiver, type Transport } from 'mcpp';
import { connect } from 'mcpp/client';
import { nodeHandler } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { claim, open, REVISIONS } from '../wire.ts';
import { sendBatch, TRANSPORTS } from './every-transport.ts';

const META = JSON.stringify(claim());
const NUMBERS = [
  '1e999',
  '-1e999',
  '1E+400',
  '1e0309',
  '9'.repeat(400),
  `${'9'.repeat(250)}e99`,
  `1${'0'.repeat(305)}e9`,
];
const FINE = ['1e308', '1e-999', '1e+99', '9'.repeat(300), '"1e999"', `"${'9'.repeat(900)}"`, '"e123"'];

const titled = (numbers: readonly string[]) =>
  numbers.map((one) => [one.length < 20 ? one : `${one.slice(0, 9)}... (${one.length} characters)`, one] as const);

const ran = vi.fn(() => 'ok');
const build = (): McpServer =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {} }).registerTool(
    't',
    { inputSchema: { type: 'object' } },
    ran,
  );
const call = (number: string, id = 7): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","arguments":{"a":[{"b":${number}}]},"_meta":${META}}}`;
const refused = {
  jsonrpc: '2.0',
  id: 7,
  error: { code: -32600, message: 'Invalid request: a number is beyond the range of a double, such as 1e999' },
};

describe.each(TRANSPORTS)('over %s', (_, send) => {
  test.each(titled(NUMBERS))('%s is refused with the id of its request', async (_title, number) => {
    ran.mockClear();
    expect((await send(build(), call(number))).map((text) => JSON.parse(text))).toEqual([refused]);
    expect(ran).not.toHaveBeenCalled();
  });

  test.each(titled(FINE))('%s is a number or a string like others', async (_title, number) => {
    const [text = ''] = await send(build(), call(number));
    expect(JSON.parse(text).result).toMatchObject({ content: [{ text: 'ok' }] });
  });
});

test('every text with an infinite number in it is refused, at any place and length', () => {
  for (let length = 150; length < 700; length += 7) {
    for (const number of NUMBERS) {
      const text = `{"jsonrpc":"2.0","id":7,"method":"m","params":{"pad":"${'x'.repeat(length)}","n":${number}}}`;
      expect(parsePayload(text)).toMatchObject({ code: 'NumberOutOfRange', id: 7 });
    }
  }
});

test.each(REVISIONS)('on %s', async (revision) => {
  const wire = await open(build(), { revision });
  wire.received.length = 0;
  wire.say(call('1e999'));
  expect((await wire.call('tools/list', {}, 'alive?')).result).toBeDefined();
  expect(wire.received.filter(({ id }) => id === 7)).toEqual([refused]);
});

test('in a batch the other messages are answered', async () => {
  const text = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"a":1e999}}}';
  expect(await sendBatch(build(), [text, '{"jsonrpc":"2.0","id":8,"method":"ping"}'])).toEqual([
    refused,
    { jsonrpc: '2.0', id: 8, result: {} },
  ]);
});

test('in a body that a framework has parsed', async () => {
  const handle = nodeHandler(build());
  const listening = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    handle(Object.assign(request, { body: JSON.parse(String(Buffer.concat(chunks))) }), response);
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 't',
  };
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body: call('1e999') });
  expect(await response.json()).toEqual(refused);
  listening.close();
});

test('a result with such a number rejects its call', async () => {
  const client = await connect(new Scripted(), { revision: '2025-11-25' });
  await expect(client.callTool('t', {})).rejects.toMatchObject({ code: 'malformed' });
  await client.close();
});

/** A server whose every tool returns Infinity. */
class Scripted implements Transport {
  readonly cancelsBy = 'notification';
  connected = false;
  #receiver: Receiver | undefined;

  async connect(receiver: Receiver): Promise<void> {
    this.#receiver = receiver;
    this.connected = true;
  }

  send(message: Message | readonly Message[]): void {
    const { id, method } = message as { id?: number; method?: string };
    if (id === undefined) return;
    const result =
      method === 'initialize'
        ? '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
        : '{"content":[],"structuredContent":{"a":1e999}}';
    queueMicrotask(() => this.#receiver?.onMessage(parsePayload(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)));
  }

  async disconnect(): Promise<void> {
    this.connected = false;
    this.#receiver?.onClose();
  }
}
