/** Long URIs, cursors and progress tokens: refused before they are matched, decoded or kept. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from './http.ts';
import { expectCheap, startVictim, type Victim } from './victim.ts';

let victim: Victim<{ port: number }>;
beforeAll(async () => {
  victim = await startVictim('schemas');
  await post(victim.ready.port, 'resources/read', { uri: 'x1:a' });
});
afterAll(() => victim.close());

const long = `x49:${'é'.repeat(1_800_000)}`;

/** A session of 2025-11-25, where no header repeats the URI. */
async function openSession(): Promise<(message: object) => Promise<string>> {
  const url = `http://127.0.0.1:${victim.ready.port}/mcp`;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = (message: object, more: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'attacker', version: '1' } };
  const opened = await send({ id: 1, method: 'initialize', params });
  await opened.text();
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  await (await send({ method: 'notifications/initialized' }, session)).text();
  return async (message) => (await send(message, session)).text();
}

async function expectRefused(method: string, params: object): Promise<void> {
  const answers: { text: string }[] = [];
  const cost = await victim.during(async () => {
    answers.push(await post(victim.ready.port, method, params));
  });
  // The bound is that of one request, though it has 3.6 MB: nothing is done with the URI.
  expectCheap(cost);
  expect(JSON.parse(answers[0]?.text ?? '').error.code).toBeLessThan(0);
}

test.each(['resources/read', 'resources/subscribe', 'resources/unsubscribe'])(
  'a URI of 3.6 MB is refused by %s of a session, whatever the number of templates',
  async (method) => {
    const session = await openSession();
    const answers: string[] = [];
    const cost = await victim.during(async () => {
      answers.push(await session({ id: 2, method, params: { uri: long } }));
    });
    expectCheap(cost);
    expect(answers[0]).toContain('\\"uri\\" has more than 8192 characters');
  },
);

test('a URI of 3.6 MB is not listened to', async () => {
  await expectRefused('subscriptions/listen', { notifications: { resourceSubscriptions: [long] } });
});

test('400 URIs of 8 KiB beyond ASCII are matched against 50 templates', async () => {
  const resourceSubscriptions = Array.from({ length: 400 }, (_, at) => `x49:${at}${'é'.repeat(4000)}`);
  // Which scopes the URIs need is found out first; then the request is refused, so that it ends.
  await expectRefused('subscriptions/listen', { notifications: { resourceSubscriptions, toolsListChanged: 5 } });
});

test('a completion for a URI of 3.6 MB is refused', async () => {
  const ref = { type: 'ref/resource', uri: long };
  await expectRefused('completion/complete', { ref, argument: { name: 'rest', value: '' } });
});

test('a cursor of 3.6 MB is refused', async () => {
  await expectRefused('tools/list', { cursor: 'A'.repeat(3_600_000) });
});

test('a URI of 8,192 characters is read, with its name in a header', async () => {
  const uri = `x49:${'a'.repeat(8188)}`;
  const { text } = await post(victim.ready.port, 'resources/read', { uri }, { headers: { 'mcp-name': uri } });
  expect(JSON.parse(text).result).toMatchObject({ contents: [{ uri, text: 'ok' }] });
});
