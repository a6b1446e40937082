/** Valid lines, broken at random but always in the same way: the server answers each at most once, and lives. */

import { McpServer } from 'mcpp/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { claim, open, quiet, unhandledDuring } from '../wire.ts';

const MESSAGES = 20_000;

/** mulberry32: small, fast, and the same everywhere. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const elicitation = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const stateless = (method: string, params: object = {}): object => ({
  method,
  params: { ...params, _meta: claim(elicitation, { progressToken: 1 }) },
});
const seeds: object[] = [
  {
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: elicitation, clientInfo: { name: 'a', version: '1' } },
  },
  { method: 'ping' },
  { method: 'tools/list', params: { cursor: 'WyJ0b29scyIsImFkZCJd' } },
  { method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
  { method: 'tools/call', params: { name: 'ask', _meta: { progressToken: 'x' } } },
  { method: 'resources/read', params: { uri: 'x://a/b' } },
  { method: 'resources/subscribe', params: { uri: 'x://a' } },
  { method: 'prompts/get', params: { name: 'p', arguments: { city: 'Rome' } } },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'city', value: '' } },
  },
  { method: 'logging/setLevel', params: { level: 'info' } },
  stateless('server/discover'),
  stateless('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }),
  stateless('tools/call', { name: 'ask', requestState: 'v1.AAAA', inputResponses: { a: { action: 'accept' } } }),
  stateless('tools/call', { name: 'ask' }),
  stateless('subscriptions/listen', { notifications: { toolsListChanged: true, resourceSubscriptions: ['x:'] } }),
  stateless('resources/read', { uri: 'x://a/b' }),
];
const notices: object[] = [
  { method: 'notifications/initialized' },
  { method: 'notifications/cancelled', params: { requestId: 1 } },
  { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
];
const odd = [
  'null',
  'true',
  '1e999',
  '-0',
  '1.5',
  '9007199254740993',
  '""',
  '[]',
  '{}',
  '{"__proto__":{"a":1}}',
  '"__proto__"',
  '[[[[]]]]',
  '{"constructor":{"prototype":{"x":1}}}',
  `"${'x'.repeat(5000)}"`,
  `${'['.repeat(500)}${']'.repeat(500)}`,
];

function mutate(text: string, pick: (below: number) => number): string {
  const at = pick(text.length);
  const value = odd[pick(odd.length)] ?? 'null';
  switch (pick(9)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + String.fromCharCode(pick(256)) + text.slice(at + 1);
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + pick(5));
    case 3:
      return text.replace(/:("[^"]*"|\d+|\{\})/g, (whole) => (pick(4) === 0 ? `:${value}` : whole));
    case 4:
      return text.replace(/"([a-zA-Z]+)":/g, (whole) => (pick(4) === 0 ? '"__proto__":' : whole));
    case 5:
      return `[${text},${text}]`;
    case 6:
      return text.replace('{', `{"id":${value},`);
    case 7:
      return text.replace(/\}$/, `,"${['result', 'error', 'id', 'method', 'params'][pick(5)]}":${value}}`);
    default:
      return text;
  }
}

/** The ids that answers to this line may have: of its requests, those whose id can be read. */
function readableIds(line: string): string[] {
  try {
    const parsed = JSON.parse(line) as { id?: unknown } | { id?: unknown }[];
    const ids = (Array.isArray(parsed) ? parsed : [parsed]).map((one) => one?.id);
    return ids.filter((id) => typeof id === 'string' || Number.isSafeInteger(id)).map((id) => JSON.stringify(id));
  } catch {
    return [];
  }
}

test.each([1, 2])('twenty thousand broken messages, seed %i', async (seed) => {
  const pick = random(seed);
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {}, limits: { inFlight: 50 } })
    .registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b))
    .registerTool('ask', {}, async (_, ctx) => {
      ctx.reportProgress(1);
      return (await ctx.elicit('?', z.object({ x: z.string().optional() }))).action;
    })
    .registerPrompt(
      'p',
      { argsSchema: z.object({ city: z.string() }), complete: { city: () => ['Rome'] } },
      ({ city }) => city,
    )
    .registerResourceTemplate('x://{a}/{b}', {}, ({ a, b }) => a + b);

  const unhandled = await unhandledDuring(async () => {
    for (let connection = 0; connection < MESSAGES / 500; connection++) {
      const wire = await open(server, { revision: 'none' });
      const asked = new Map<string, number>();
      for (let i = 0; i < 500; i++) {
        const from = pick(8) === 0 ? notices : seeds;
        const id = pick(20) === 0 ? i - 1 : i;
        const message = { jsonrpc: '2.0', ...(from === seeds ? { id } : {}), ...from[pick(from.length)] };
        let line = JSON.stringify(message);
        for (let times = pick(3); times > 0; times--) line = mutate(line, pick);
        for (const key of readableIds(line)) asked.set(key, (asked.get(key) ?? 0) + 1);
        wire.say(line);
        if (pick(50) === 0) await quiet();
      }
      await quiet();
      for (const reply of wire.received) {
        if (reply.method !== undefined || reply.id == null) continue;
        const key = JSON.stringify(reply.id);
        const left = (asked.get(key) ?? 0) - 1;
        expect(left, `answers under the id ${key}`).toBeGreaterThanOrEqual(0);
        asked.set(key, left);
      }
      await wire.disconnect();
    }
  });
  expect(unhandled).toEqual([]);
  const wire = await open(server);
  expect((await wire.call('tools/call', { name: 'add', arguments: { a: 1, b: 2 } })).result).toBeDefined();
  expect(({} as Record<string, unknown>)['a']).toBeUndefined();
});
