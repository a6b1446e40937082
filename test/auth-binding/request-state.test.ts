/** The state of a call that asked something is of use to whoever made the call, and to nobody else. */

import { McpServer } from 'mcpp/server';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FACES, post, type Reached } from '../http/faces.ts';
import { type Message, stateless, statelessHeaders } from '../http/messages.ts';
import { open as openWire } from '../wire.ts';
import { as, auth, OTHERS } from './people.ts';

const CAPABLE = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const INVALID = { code: -32602, message: 'Invalid or expired requestState' };

function make(): McpServer {
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} });
  server.registerTool('ask', {}, async (_, ctx) => {
    const secret = await ctx.step('secret', () => `made for ${ctx.auth?.subject}`);
    const answer = await ctx.elicit('Who?', z.object({ name: z.string() }));
    return `${secret}: ${JSON.stringify(answer)}`;
  });
  return server;
}

const ask = (more: object = {}): Message =>
  stateless(1, 'tools/call', { name: 'ask', arguments: {}, _meta: CAPABLE, ...more });

type Json = Record<string, Record<string, unknown> | undefined>;

describe.each(FACES)('through $name', ({ open }) => {
  let reached: Reached;
  afterEach(() => reached.close());

  const say = async (message: Message, token: string): Promise<Json> =>
    (await (await post(reached, message, { ...statelessHeaders(message), ...as(token) })).json()) as Json;

  async function asked(): Promise<object> {
    reached = await open(make(), { auth });
    const { result } = await say(ask(), 'alice');
    expect(result).toMatchObject({ resultType: 'input_required' });
    const [key = ''] = Object.keys(result?.['inputRequests'] ?? {});
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    return { requestState: result?.['requestState'], inputResponses };
  }

  test.each(OTHERS)('%s gets the answer one gets for a state that was made up', async (token) => {
    const answers = await asked();
    const { error } = await say(ask(answers), token);
    expect(error).toEqual(INVALID);
    expect((await say(ask({ ...answers, requestState: 'made-up' }), token)).error).toEqual(error);
  });

  test('with another token of hers Alice goes on', async () => {
    const { result } = await say(ask(await asked()), 'alice-refreshed');
    expect(result).toMatchObject({ content: [{ text: expect.stringContaining('made for alice: ') }] });
  });

  test('where nobody is asked who is calling it is of no use either', async () => {
    const answers = await asked();
    const wire = await openWire(make(), { capabilities: { elicitation: { form: {} } } });
    expect((await wire.call('tools/call', { name: 'ask', arguments: {}, ...answers })).error).toEqual(INVALID);
  });
});

test('over any transport: principals that differ in one thing are two', async () => {
  const alice = { issuer: 'https://as.example.com', subject: 'alice', clientId: 'app' };
  const server = make();
  const capabilities = { elicitation: { form: {} } };
  const params = { name: 'ask', arguments: {} };
  const hers = await openWire(server, { principal: alice, capabilities });
  const { requestState } = (await hers.call('tools/call', params)).result ?? {};
  for (const other of [{ subject: 'bob' }, { issuer: 'https://other.example.com' }, { clientId: 'other' }]) {
    const wire = await openWire(server, { principal: { ...alice, ...other }, capabilities });
    expect((await wire.call('tools/call', { ...params, requestState })).error).toEqual(INVALID);
  }
  const again = await openWire(server, {
    principal: { ...alice, scopes: ['more'], claims: { jti: '2' } },
    capabilities,
  });
  expect((await again.call('tools/call', { ...params, requestState })).error).toBeUndefined();
});
