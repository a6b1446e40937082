/** One server, a thousand clients with the same ids: nobody gets a byte of anybody else's. */

import { type Context, McpServer } from 'mcpp/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { open, REVISIONS, type Wire } from './wire.ts';

const CLIENTS = 1000;
const IDS = 10;
const LEVEL = 'io.modelcontextprotocol/logLevel';

/** Ends in a later turn, and not in the order it was called in. */
async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function work(
  { mark, ask, turns }: { mark: string; ask: boolean; turns: number },
  ctx: Context,
): Promise<object> {
  const own = { mark, subject: ctx.auth?.subject };
  await pause(turns % 4);
  ctx.reportProgress(1, 2, mark);
  ctx.log.error(own);
  await pause(turns % 3);
  const answer = ask ? await ctx.elicit(`for ${mark}`, z.object({ name: z.string() })) : undefined;
  ctx.reportProgress(2, 2, mark);
  return { ...own, answer: answer?.action === 'accept' ? answer.content.name : null };
}

const inputSchema = z.object({ mark: z.string(), ask: z.boolean(), turns: z.number() });
const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} })
  .registerTool('work', { inputSchema }, work)
  .registerTool('touch', {}, () => 'x');

/** One client: ten calls at once under the ids 0 to 9; where it is asked it answers with its own mark. */
async function client(number: number): Promise<{ wire: Wire; subject: string; results: unknown[] }> {
  const revision = REVISIONS[number % REVISIONS.length] ?? '2026-07-28';
  const subject = `client-${number}.`;
  const answer = (): object => ({ action: 'accept', content: { name: subject } });
  const capabilities = { elicitation: { form: {} } };
  const wire = await open(server, { revision, principal: { subject }, capabilities, answer });
  const canAsk = revision >= '2025-06-18' && number % 3 === 0;
  const call = async (id: number): Promise<unknown> => {
    const args = { mark: `${subject}${id}`, ask: canAsk && id === 4, turns: number + id };
    const params = { name: 'work', arguments: args, _meta: { progressToken: id, [LEVEL]: 'debug' } };
    const reply = await wire.call('tools/call', params, id);
    if (reply.result?.['resultType'] !== 'input_required') return reply.result?.['content'];
    const { inputRequests, requestState } = reply.result as { inputRequests: object; requestState: string };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer()]));
    return (await wire.call('tools/call', { ...params, inputResponses, requestState }, 'again')).result?.['content'];
  };
  const results = await Promise.all(Array.from({ length: IDS }, (_, id) => call(id)));
  return { wire, subject, results };
}

test('a thousand clients of all revisions use the ids 0 to 9 at once, and each gets its own', async () => {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  clients.forEach(({ wire, subject, results }, number) => {
    const asks = number % 3 === 0 && (REVISIONS[number % REVISIONS.length] ?? '') >= '2025-06-18';
    results.forEach((content, id) => {
      const expected = { mark: `${subject}${id}`, subject, answer: asks && id === 4 ? subject : null };
      expect(JSON.parse((content as [{ text: string }])[0].text)).toEqual(expected);
    });
    const foreign = wire.lines.join('\n').replaceAll(subject, '');
    expect(foreign).not.toContain('client-');
    const stateless = wire.notices('notifications/progress').length - 2 * IDS;
    expect(stateless).toBe(asks && number % REVISIONS.length === 4 ? 1 : 0);
    for (const { params } of wire.notices('notifications/message')) {
      expect(params?.['data']).toMatchObject({ subject });
    }
  });
});

test('what one client cancels or subscribes to is its own affair', async () => {
  const wires = await Promise.all(Array.from({ length: 20 }, () => open(server, { revision: '2025-11-25' })));
  const args = { mark: 'm', ask: false, turns: 11 };
  const calls = wires.map((wire) => wire.call('tools/call', { name: 'work', arguments: args }, 0));
  wires[0]?.notify('notifications/cancelled', { requestId: 0 });
  await Promise.all(calls.slice(1));
  expect(wires.map((wire) => wire.received.filter((one) => one.id === 0).length)).toEqual([0, ...Array(19).fill(1)]);

  await wires[1]?.call('logging/setLevel', { level: 'emergency' });
  for (const wire of wires) wire.received.length = 0;
  await Promise.all(wires.map((wire) => wire.call('tools/call', { name: 'work', arguments: args }, 1)));
  expect(wires.map((wire) => wire.notices('notifications/message').length)).toEqual([1, 0, ...Array(18).fill(1)]);
});

test('the state of one client’s question is of no use to another', async () => {
  const params = { name: 'work', arguments: { mark: 'm', ask: true, turns: 0 } };
  const capabilities = { elicitation: { form: {} } };
  const alice = await open(server, { principal: { subject: 'alice' }, capabilities });
  const bob = await open(server, { principal: { subject: 'bob' }, capabilities });
  const { requestState } = (await alice.call('tools/call', params)).result ?? {};
  expect((await bob.call('tools/call', { ...params, requestState })).error?.code).toBe(-32602);
});
