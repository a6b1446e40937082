/** Arguments that are wrong in many places, or under long names: the error is bounded, and so is the work for it. */

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post } from './http.ts';
import { expectCheap, startVictim, type Victim } from './victim.ts';

let victim: Victim<{ port: number }>;
beforeAll(async () => {
  victim = await startVictim('schemas');
  // The first checks load and compile: that is not what an attacker makes a server do.
  for (const name of ['zod', 'union', 'rows', 'valibot', 'arktype', 'raw', 'closed']) await call(name, { items: 5 });
});
afterAll(() => victim.close());

const call = (name: string, args: object) => post(victim.ready.port, 'tools/call', { name, arguments: args });
const wrong = (count: number): string[] => Array.from({ length: count }, () => 'x');
const named = (count: number, value: unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));

async function expectShortError(send: () => Promise<{ text: string }>, megabytes = 1): Promise<void> {
  const answers: string[] = [];
  const cost = await victim.during(async () => {
    answers.push((await send()).text);
  });
  expectCheap(cost, megabytes);
  expect(answers[0]?.length).toBeLessThan(8192);
  expect(answers[0]).toMatch(/Invalid arguments|error/);
}

describe.each(['zod', 'valibot', 'arktype', 'raw'])('%s', (name) => {
  test('a key of 64 KiB above 32,000 wrong items', async () => {
    await expectShortError(() => call(name, { items: { ['k'.repeat(65_536)]: wrong(32_000) } }));
  });

  test('a key of 64 KiB above 9,000 wrong items, which are few enough to be checked', async () => {
    await expectShortError(() => call(name, { items: { ['k'.repeat(65_536)]: wrong(9000) } }));
  });

  test('a key of 3.5 MB of ~ and / above 90,000 wrong items', async () => {
    await expectShortError(() => call(name, { items: { ['~/'.repeat(1_750_000)]: wrong(90_000) } }), 4);
  });

  test('30 keys of 100 KB of ~, each above 20 wrong items', async () => {
    const items = Array.from({ length: 30 }, (_, at) => [`${'~'.repeat(100_000)}${at}`, wrong(20)]);
    await expectShortError(() => call(name, { items: Object.fromEntries(items) }), 3);
  });

  test('99,000 wrong items', async () => {
    await expectShortError(() => call(name, { items: { k: wrong(99_000) } }));
  });

  test('9,900 wrong items', async () => {
    await expectShortError(() => call(name, { items: { k: wrong(9900) } }));
  });

  test('49,000 wrong members', async () => {
    await expectShortError(() => call(name, { items: named(49_000, 'x') }));
  });

  test('40 wrong strings of 90 KB', async () => {
    await expectShortError(() => call(name, { items: { k: Array(40).fill('x'.repeat(90_000)) } }), 3.6);
  });
});

test('wrong items of a union, 99,000 and 9,900', async () => {
  await expectShortError(() => call('union', { items: wrong(99_000) }));
  await expectShortError(() => call('union', { items: wrong(9900) }));
});

test('rows without any of their three members, 49,000 and 9,900', async () => {
  await expectShortError(() => call('rows', { items: Array(49_000).fill({}) }));
  await expectShortError(() => call('rows', { items: Array(9900).fill({}) }));
});

test('additional members: 98,000, and one of 3.5 MB of ~', async () => {
  await expectShortError(() => call('closed', named(98_000, 1)));
  await expectShortError(() => call('closed', { ['~'.repeat(3_500_000)]: 1 }), 3.5);
});

test('arguments of a prompt: 49,000, and one of 3.5 MB of ~', async () => {
  const get = (args: object) => post(victim.ready.port, 'prompts/get', { name: 'prompt', arguments: args });
  await expectShortError(() => get(named(49_000, 'long')), 1);
  await expectShortError(() => get({ ['~'.repeat(3_500_000)]: 'long' }), 3.5);
});

test('the answer to a form: 49,000 wrong fields, and one of 3.5 MB of ~', async () => {
  const first = await elicit({});
  const { inputRequests, requestState } = JSON.parse(first).result as { inputRequests: object; requestState: string };
  const [key = ''] = Object.keys(inputRequests);
  for (const content of [named(49_000, 'x'), { ['~'.repeat(3_500_000)]: 'x' }]) {
    const inputResponses = { [key]: { action: 'accept', content } };
    const answers: string[] = [];
    const cost = await victim.during(async () => {
      answers.push(await elicit({ requestState, inputResponses }));
    });
    expectCheap(cost, 3.5);
    expect(answers[0]?.length).toBeLessThan(8192);
  }
});

/** Calls a tool that asks the client by form. */
function elicit(more: object): Promise<string> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'ask',
  };
  const params = { name: 'ask', arguments: {}, ...more, _meta };
  return new Promise((resolve, reject) => {
    const { port } = victim.ready;
    const out = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, async (response) => {
      resolve(String(Buffer.concat(await response.toArray())));
    });
    out.once('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  });
}
