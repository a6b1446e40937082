/** `requestState` and `inputResponses`: both are the client's to carry, neither is the client's to make up. */

import { type Context, inputRequired, McpServer, type McpServerOptions } from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { open, type Reply, type WireOptions } from './wire.ts';

const KEY = 'a secret of more than 32 characters';
const OTHER = 'another secret of more than 32 characters';
const KEY_0 = 'elicitation/create#0';
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const form = z.object({ name: z.string().min(1) });
const REFUSED = { code: -32602, message: 'Invalid or expired requestState' };
const accepted = (content: object = { name: 'x' }): object => ({ action: 'accept', content });

let runs = 0;
const build = (options: McpServerOptions = {}, question = 'Who?'): McpServer<unknown> => {
  const handler = async (args: unknown, ctx: Context): Promise<string> => {
    runs++;
    const answer = await ctx.elicit(question, form);
    return `${JSON.stringify(args)} ${answer.action === 'accept' ? answer.content.name : answer.action}`;
  };
  const inputSchema = z.object({ a: z.number().optional(), b: z.number().optional() });
  return new McpServer({ name: 's', version: '1' }, { keys: [KEY], onError: () => {}, ...options })
    .registerTool('t', { inputSchema }, handler)
    .registerTool('other', { inputSchema }, handler)
    .registerPrompt('t', {}, (args, ctx) => handler(args, ctx))
    .registerResourceTemplate('x://{id}', {}, (args, ctx) => handler(args, ctx));
};

const send = async (
  params: object,
  server = build(),
  options: WireOptions = {},
  method = 'tools/call',
): Promise<Reply> => (await open(server, { capabilities, ...options })).call(method, params);

async function stateOf(params: object = { name: 't' }, server = build(), options: WireOptions = {}): Promise<string> {
  const { result } = await send(params, server, options);
  runs = 0;
  return result?.['requestState'] as string;
}

const textOf = (reply: Reply): unknown => (reply.result?.['content'] as { text: string }[] | undefined)?.[0]?.text;

afterEach(() => {
  vi.useRealTimers();
});

describe('a state', () => {
  test('is opaque, and good for the call it was made for', async () => {
    const requestState = await stateOf({ name: 't', arguments: { a: 1, b: 2 } });
    expect(requestState).toMatch(/^[\x21-\x7e]+$/);
    const params = { name: 't', arguments: { b: 2, a: 1 }, requestState, inputResponses: { [KEY_0]: accepted() } };
    expect(textOf(await send(params))).toBe('{"a":1,"b":2} x');
    expect(runs).toBe(1);
  });

  test('that was altered in any place is refused, and the handler does not run', async () => {
    const state = await stateOf();
    const flip = (at: number): string => state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1);
    const last = state.length - 1;
    const places = [0, 1, 2, 3, 5, 8, 9, 20, 24, 25, 40, state.length >> 1, last - 22, last - 1, last];
    for (const requestState of [...places.map(flip), state.slice(0, -1), `${state}A`, ` ${state}`, `${state}=`]) {
      expect((await send({ name: 't', requestState, inputResponses: { [KEY_0]: accepted() } })).error).toEqual(REFUSED);
    }
    expect(runs).toBe(0);
  });

  test.each<unknown>(['', 'garbage', 'v1.', 'v1.AAAA', `v1.${'A'.repeat(100)}`, 5, null, {}, [], true])(
    'that is %j is refused in the same words',
    async (requestState) => {
      runs = 0;
      expect((await send({ name: 't', requestState })).error).toEqual(REFUSED);
      expect(runs).toBe(0);
    },
  );

  test.each<[string, object, WireOptions, string?]>([
    ['another tool', { name: 'other' }, {}],
    ['other arguments', { name: 't', arguments: { a: 2 } }, {}],
    ['no arguments', { name: 't' }, {}],
    ['a prompt', { name: 't' }, {}, 'prompts/get'],
    ['another person', { name: 't', arguments: { a: 1 } }, { principal: { subject: 'bob' } }],
    ['nobody', { name: 't', arguments: { a: 1 } }, {}],
    [
      'the same name by another authority',
      { name: 't', arguments: { a: 1 } },
      { principal: { subject: 'alice', issuer: 'https://other' } },
    ],
    [
      'the same person with another client',
      { name: 't', arguments: { a: 1 } },
      { principal: { subject: 'alice', clientId: 'c2' } },
    ],
  ])('is refused for %s', async (_, params, options, method = 'tools/call') => {
    const alice = { principal: { subject: 'alice' } };
    const requestState = await stateOf({ name: 't', arguments: { a: 1 } }, build(), alice);
    const from = 'principal' in options || _ === 'nobody' ? options : alice;
    const inputResponses = { [KEY_0]: accepted() };
    expect((await send({ ...params, requestState, inputResponses }, build(), from, method)).error).toEqual(REFUSED);
    expect(runs).toBe(0);
    const same = { name: 't', arguments: { a: 1 }, requestState, inputResponses };
    expect(textOf(await send(same, build(), { principal: { subject: 'alice', scopes: ['new'] } }))).toContain('x');
  });

  test('of one resource is refused for another, whatever else stands beside the URI', async () => {
    for (const more of [{}, { name: 'n' }, { name: null }, { arguments: {} }]) {
      const first = await send({ uri: 'x://a', ...more }, build(), {}, 'resources/read');
      runs = 0;
      const answers = { requestState: first.result?.['requestState'], inputResponses: { [KEY_0]: accepted() } };
      expect((await send({ uri: 'x://b', ...more, ...answers }, build(), {}, 'resources/read')).error).toEqual(REFUSED);
      expect(runs).toBe(0);
    }
  });

  test('of another server, or sealed with a key that is gone, is refused', async () => {
    const requestState = await stateOf();
    const params = { name: 't', requestState, inputResponses: { [KEY_0]: accepted() } };
    expect((await send(params, build({ keys: [OTHER] }))).error).toEqual(REFUSED);
    const renamed = new McpServer({ name: 'z', version: '1' }, { keys: [KEY] }).registerTool('t', {}, () => 'x');
    expect((await send(params, renamed)).error).toEqual(REFUSED);
  });

  test('goes on over a change of keys', async () => {
    const requestState = await stateOf();
    const params = { name: 't', requestState, inputResponses: { [KEY_0]: accepted() } };
    expect(textOf(await send(params, build({ keys: [OTHER, KEY] })))).toBe('{} x');
  });

  test('is good for ten minutes, counted from its own round', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const requestState = await stateOf();
    const params = { name: 't', requestState, inputResponses: { [KEY_0]: accepted({ name: '' }) } };
    vi.setSystemTime(Date.now() + 10 * 60_000 - 1000);
    const again = await send(params);
    expect(again.result?.['resultType']).toBe('input_required');
    runs = 0;
    vi.setSystemTime(Date.now() + 2000);
    expect((await send(params)).error).toEqual(REFUSED);
    expect(runs).toBe(0);
    const next = { requestState: again.result?.['requestState'], inputResponses: { [KEY_0]: accepted() } };
    expect(textOf(await send({ name: 't', ...next }))).toBe('{} x');
    expect((await send({ name: 't', ...next }, build({ limits: { stateTtlMs: 1 } }))).result).toBeDefined();
  });

  test('has no say under revisions with a session', async () => {
    const requestState = await stateOf();
    const session = { revision: '2025-11-25', answer: () => ({ action: 'decline' }) };
    const params = { name: 't', requestState, inputResponses: { [KEY_0]: accepted() } };
    expect(textOf(await send(params, build(), session))).toBe('{} decline');
  });
});

describe('an answer', () => {
  const again = async (inputResponses: unknown, requestState?: string): Promise<Reply> =>
    send({ name: 't', requestState: requestState ?? (await stateOf()), inputResponses });

  test('without a state is none: nothing was asked', async () => {
    const reply = await send({ name: 't', inputResponses: { [KEY_0]: accepted() } });
    expect(reply.result?.['inputRequests']).toHaveProperty([KEY_0]);
  });

  test.each<[string, string]>([
    ['to nothing that was asked', '{"elicitation/create#1":{"action":"accept","content":{"name":"x"}}}'],
    ['under __proto__', '{"__proto__":{"elicitation/create#0":{"action":"accept","content":{"name":"x"}}}}'],
    ['that is missing', '{}'],
    ['of another shape', '{"elicitation/create#0":{"roots":[]}}'],
    ['that is no answer', '{"elicitation/create#0":5}'],
    ['with content that breaks the form', '{"elicitation/create#0":{"action":"accept","content":{"name":""}}}'],
    ['without the content of the form', '{"elicitation/create#0":{"action":"accept"}}'],
  ])('%s leads to the same question again', async (_, responses) => {
    const reply = await again(JSON.parse(responses));
    expect(reply.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { [KEY_0]: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?' } } },
    });
    const next = await again({ [KEY_0]: accepted() }, reply.result?.['requestState'] as string);
    expect(textOf(next)).toBe('{} x');
    expect(({} as Record<string, unknown>)['action']).toBeUndefined();
  });

  test.each<unknown>([5, 'x', null, [], true])('is looked for in an object, not in %j', async (responses) => {
    const reply = await again(responses);
    expect(reply.error?.code).toBe(-32602);
    expect(runs).toBe(0);
  });

  test.each(['decline', 'cancel'])('may be to %s', async (action) => {
    expect(textOf(await again({ [KEY_0]: { action } }))).toBe(`{} ${action}`);
  });

  test('never counts for a question that has changed meanwhile', async () => {
    const requestState = await stateOf();
    const params = { name: 't', requestState, inputResponses: { [KEY_0]: accepted() } };
    const reply = await send(params, build({}, 'Delete everything?'));
    expect(reply.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { [KEY_0]: { params: { message: 'Delete everything?' } } },
    });
  });

  test('is asked for again under live revisions as well, but not for ever', async () => {
    let asked = 0;
    const answer = (): object => accepted({ name: ++asked < 3 ? '' : 'x' });
    expect(textOf(await send({ name: 't' }, build(), { revision: '2025-11-25', answer }))).toBe('{} x');
    expect(asked).toBe(3);
    asked = -1_000_000;
    const reply = await send({ name: 't' }, build(), { revision: '2025-11-25', answer });
    expect(reply.error?.code).toBe(-32603);
  });
});

describe('questions that a handler returns', () => {
  const city = { mode: 'form', message: 'City?', requestedSchema: { type: 'object', properties: {} } } as const;
  const ask = (key: string, state?: unknown): unknown =>
    inputRequired({
      requests: { [key]: { method: 'elicitation/create', params: city } },
      ...(state === undefined ? {} : { state }),
    });
  const serverOf = (handler: (ctx: Context) => unknown): McpServer<unknown> =>
    new McpServer({ name: 's', version: '1' }, { keys: [KEY], onError: () => {} }).registerTool(
      't',
      {},
      (_, ctx) => handler(ctx) as string,
    );
  const twoRounds = serverOf((ctx) => {
    if (!ctx.inputResponses.has('a')) return ask('a', { round: 1 });
    if (!ctx.inputResponses.has('b')) return ask('b', { round: 2, was: ctx.state });
    return JSON.stringify([[...ctx.inputResponses.keys()], ctx.state]);
  });
  const result = '[["a","b"],{"round":2,"was":{"round":1}}]';

  test('are put in rounds, with the state sealed', async () => {
    const first = await send({ name: 't' }, twoRounds);
    expect(first.result?.['inputRequests']).toEqual({ a: { method: 'elicitation/create', params: city } });
    expect(JSON.stringify(first)).not.toContain('round');
    const second = await send(
      { name: 't', requestState: first.result?.['requestState'], inputResponses: { a: accepted() } },
      twoRounds,
    );
    expect(Object.keys(second.result?.['inputRequests'] as object)).toEqual(['b']);
    const third = { requestState: second.result?.['requestState'], inputResponses: { b: accepted() } };
    expect(textOf(await send({ name: 't', ...third }, twoRounds))).toBe(result);
  });

  test.each(['2025-06-18', '2025-11-25'])('are put live, and the handler is entered again: %s', async (revision) => {
    const reply = await send({ name: 't' }, twoRounds, { revision, answer: () => accepted() });
    expect(textOf(reply)).toBe(result);
  });

  test('without a state need none, and are answered without one', async () => {
    const server = serverOf((ctx) =>
      ctx.inputResponses.has('a') ? JSON.stringify(ctx.inputResponses.get('a')) : ask('a'),
    );
    const first = await send({ name: 't' }, server);
    expect(first.result).not.toHaveProperty('requestState');
    const inputResponses = { a: accepted(), junk: 5, ['__proto__x']: 'x' };
    expect(textOf(await send({ name: 't', inputResponses }, server))).toBe(JSON.stringify(accepted()));
  });

  test('are answered in the shape of their method', async () => {
    const server = serverOf((ctx) =>
      ctx.inputResponses.has('a') ? JSON.stringify(ctx.inputResponses.get('a')) : ask('a', 'state'),
    );
    const first = await send({ name: 't' }, server);
    const { requestState } = first.result ?? {};
    const reply = await send({ name: 't', requestState, inputResponses: { a: { roots: [] } } }, server);
    expect(reply.result?.['resultType']).toBe('input_required');
  });

  test('may be none at all: the client calls again with the state', async () => {
    const server = serverOf((ctx) => (ctx.state === 2 ? 'done' : inputRequired({ state: Number(ctx.state ?? 0) + 1 })));
    const first = await send({ name: 't' }, server);
    expect(first.result).not.toHaveProperty('inputRequests');
    const second = await send({ name: 't', requestState: first.result?.['requestState'] }, server);
    expect(textOf(await send({ name: 't', requestState: second.result?.['requestState'] }, server))).toBe('done');
    expect(() => inputRequired({})).toThrow(TypeError);
  });

  test('are not put for ever', async () => {
    const server = serverOf(() => ask('a'));
    const reply = await send({ name: 't' }, server, { revision: '2025-11-25', answer: () => accepted() });
    expect(reply.result?.['isError'] === true || reply.error !== undefined).toBe(true);
  });

  test('by a method of one’s own keep their state to themselves', async () => {
    const server = new McpServer({ name: 's', version: '1' }, { capabilities: { tools: {} } });
    server.setHandler('tools/call', () => inputRequired({ state: 'tr0ub4dor' }));
    expect(JSON.stringify(await send({ name: 't' }, server))).not.toContain('tr0ub4dor');
  });
});
