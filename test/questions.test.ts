/** Handlers that ask: straight-line code on every revision, and re-run on any node where there is no session. */

import { type Context, inputRequired, isSuspension, McpServer, type McpServerOptions } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { open, quiet, REVISIONS, type Reply, unhandledDuring } from './wire.ts';

const KEY = 'a secret of more than 32 characters';
const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
const name = z.object({ name: z.string() });

const make = (options: McpServerOptions = {}): McpServer =>
  new McpServer({ name: 's', version: '1' }, { keys: [KEY], onError: () => {}, ...options });

const asking = (handler: (ctx: Context) => unknown): McpServer<unknown> =>
  make().registerTool('t', {}, (_, ctx) => handler(ctx) as string);

type Answer = (method: string, params: Readonly<Record<string, unknown>>) => unknown;
const accept =
  (content: object = {}): Answer =>
  () => ({ action: 'accept', content });

/** Answers as a person would who repeats the question. */
const echo: Answer = (method, params) =>
  method === 'sampling/createMessage'
    ? { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } }
    : { action: 'accept', content: { name: `[${String(params['message'])}]` } };

/** One call of a stateless client, each leg to a server of its own. */
async function legs(build: () => McpServer<unknown>, answer: Answer, max = 10): Promise<Reply[]> {
  const replies: Reply[] = [];
  let carried: object = {};
  while (replies.length < max) {
    const wire = await open(build(), { capabilities });
    const reply = await wire.call('tools/call', { name: 't', ...carried });
    replies.push(reply);
    if (reply.result?.['resultType'] !== 'input_required') break;
    const { inputRequests, requestState } = reply.result as { inputRequests?: object; requestState?: string };
    const asked = Object.entries(inputRequests ?? {}) as [
      string,
      { method: string; params?: Record<string, unknown> },
    ][];
    const answers = asked.map(([key, { method, params = {} }]) => [key, answer(method, params)]);
    carried = {
      ...(inputRequests ? { inputResponses: Object.fromEntries(answers) } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    };
  }
  return replies;
}

const textOf = (reply: Reply | undefined): unknown =>
  (reply?.result?.['content'] as { text: string }[] | undefined)?.[0]?.text;

afterEach(() => {
  vi.useRealTimers();
});

describe('one handler', () => {
  let steps = 0;
  const handler = async (ctx: Context): Promise<string> => {
    const text = async (message: string): Promise<string> => {
      const answer = await ctx.elicit(message, name);
      return answer.action === 'accept' ? answer.content.name : answer.action;
    };
    const first = await text('1');
    const order = await ctx.step('order', async () => ({ id: ++steps, at: new Date(0) }));
    const second = await text(`2 after ${first}`);
    const [third, fourth] = await Promise.all([text('3'), text('4')]);
    const sampled = await ctx.sample({ messages: [], maxTokens: 5 });
    const model = (sampled.content as { text: string }).text;
    return [first, second, third, fourth, model, JSON.stringify(order)].join(' ');
  };
  const expected = '[1] [2 after [1]] [3] [4] sampled {"id":1,"at":"1970-01-01T00:00:00.000Z"}';

  test.each(['2025-06-18', '2025-11-25'])('gives its result with live questions: %s', async (revision) => {
    steps = 0;
    const wire = await open(asking(handler), { revision, capabilities, answer: echo });
    expect(textOf(await wire.call('tools/call', { name: 't' }))).toBe(expected);
    expect(steps).toBe(1);
  });

  test('gives the same result in rounds, each answered by another node that shares nothing but the keys', async () => {
    steps = 0;
    const replies = await legs(() => asking(handler), echo);
    expect(replies.map((reply) => Object.keys((reply.result?.['inputRequests'] as object) ?? {}).length)).toEqual([
      1, 1, 2, 1, 0,
    ]);
    expect(textOf(replies.at(-1))).toBe(expected);
    expect(steps).toBe(1);
  });

  test.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'gives it to a client, re-run or not: %s',
    async (r) => {
      for (const reruns of [false, true]) {
        steps = 0;
        const answers = (question: { method: string; params?: object }): never =>
          echo(question.method, (question.params ?? {}) as never) as never;
        const client = await testClient(asking(handler), { revision: r, inputResponses: answers, reruns });
        expect(await client.callTool('t')).toMatchObject({ content: [{ text: expected }] });
        expect(steps).toBe(1);
        await client.close();
      }
    },
  );

  test('of a prompt or a resource asks just the same', async () => {
    const server = make()
      .registerPrompt('p', {}, async (_, ctx) => (await ctx.elicit('?', name)).action)
      .registerResource('x:a', {}, async (_, ctx) => (await ctx.elicit('?', name)).action);
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      const client = await testClient(server, { revision, inputResponses: () => ({ action: 'decline' }) });
      expect(await client.getPrompt('p')).toMatchObject({ messages: [{ content: { text: 'decline' } }] });
      expect(await client.readResource('x:a')).toMatchObject({ contents: [{ text: 'decline' }] });
    }
  });

  test('a resource read with questions is nobody else’s to keep', async () => {
    const cache = { ttlMs: 1000, cacheScope: 'public' } as const;
    const server = make({ cache }).registerResource('x:a', {}, async (_, ctx) => (await ctx.elicit('?', name)).action);
    const client = await testClient(server, { inputResponses: () => ({ action: 'decline' }) });
    expect(await client.readResource('x:a')).toMatchObject({ cacheScope: 'private' });
    const inRound = client.wire.map((entry) => entry.message).find((one) => JSON.stringify(one).includes('input_req'));
    expect(JSON.stringify(inRound)).not.toMatch(/ttlMs|cacheScope/);
  });

  test('of a method of one’s own in the place of tools/call asks just the same', async () => {
    const server = make({ capabilities: { tools: {} } }).setHandler('tools/call', async (_, ctx) => ({
      content: [{ type: 'text', text: (await ctx.elicit('?', name)).action }],
    }));
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      const client = await testClient(server, { revision, inputResponses: () => ({ action: 'decline' }) });
      expect(await client.callTool('t')).toMatchObject({ content: [{ text: 'decline' }] });
    }
  });
});

describe('a run that ends in a question', () => {
  test('ends so, though the handler swallowed the suspension', async () => {
    const server = asking(async (ctx) => {
      try {
        const { action } = await ctx.elicit('?', name);
        return `answered ${action}`;
      } catch {
        return 'swallowed';
      }
    });
    const replies = await legs(() => server, accept({ name: 'x' }));
    expect(replies[0]?.result?.['resultType']).toBe('input_required');
    expect(textOf(replies[1])).toBe('answered accept');
  });

  test('can be told from an error', async () => {
    const seen: boolean[] = [];
    const server = asking((ctx) =>
      ctx.elicit('?', name).catch((error: unknown) => {
        seen.push(isSuspension(error));
        throw error;
      }),
    );
    await legs(() => server, accept({ name: 'x' }));
    expect(seen).toEqual([true]);
    expect(isSuspension(new Error('x'))).toBe(false);
  });

  test('runs its finally blocks, in each leg', async () => {
    let entered = 0;
    let left = 0;
    const server = asking(async (ctx) => {
      entered++;
      try {
        await ctx.elicit('1', name);
        await ctx.elicit('2', name);
        return 'x';
      } finally {
        await quiet();
        left++;
      }
    });
    await legs(() => server, accept({ name: 'x' }));
    expect([entered, left]).toEqual([3, 3]);
  });

  test('aborts what the handler still does, and does not wait for it for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const aborted: boolean[] = [];
    const server = asking(async (ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.push(true));
      await ctx.elicit('?', name).catch(() => {});
      await new Promise(() => {});
    });
    const wire = await open(server, { capabilities });
    const call = wire.call('tools/call', { name: 't' });
    await quiet();
    await vi.advanceTimersByTimeAsync(2000);
    expect((await call).result?.['resultType']).toBe('input_required');
    expect([aborted, vi.getTimerCount()]).toEqual([[true], 0]);
  }, 2000);

  test('leaves no rejection unhandled, though two questions were put and only the first was awaited', async () => {
    const server = asking(async (ctx) => {
      const [first, second] = [ctx.elicit('1', name), ctx.elicit('2', name)];
      return [(await first).action, (await second).action].join();
    });
    let replies: Reply[] = [];
    const unhandled = await unhandledDuring(async () => {
      replies = await legs(() => server, accept({ name: 'x' }));
    });
    expect(textOf(replies.at(-1))).toBe('accept,accept');
    expect(unhandled).toEqual([]);
  });

  test.each(['2025-11-25', '2026-07-28'])(
    'leaves no rejection unhandled for a question nobody awaits: %s',
    async (r) => {
      const server = asking((ctx) => {
        void ctx.elicit('?', name);
        void ctx.sample({ messages: [], maxTokens: 1 });
        void ctx.listRoots();
        return 'x';
      });
      const unhandled = await unhandledDuring(async () => {
        const wire = await open(server, { revision: r });
        await wire.call('tools/call', { name: 't' });
        const able = await open(server, { revision: r, capabilities });
        await able.call('tools/call', { name: 't' });
        await able.disconnect();
      });
      expect(unhandled).toEqual([]);
    },
  );

  test('remembers a step that was running beside the question', async () => {
    let runs = 0;
    const server = asking(async (ctx) => {
      const slow = async (): Promise<number> => {
        await quiet();
        return ++runs;
      };
      const [, order] = await Promise.all([ctx.elicit('?', name), ctx.step('order', slow)]);
      return String(order);
    });
    const replies = await legs(() => server, accept({ name: 'x' }));
    expect([textOf(replies.at(-1)), runs]).toEqual(['1', 1]);
  });
});

test('two different questions under one key are the author’s mistake, told as an error, not asked for ever', async () => {
  const server = asking(async (ctx) => {
    const first = await ctx.elicit('1', name, { key: 'same' });
    const second = await ctx.elicit('2', name, { key: 'same' });
    return first.action + second.action;
  });
  const replies = await legs(() => server, accept({ name: 'x' }));
  const last = replies.at(-1);
  expect(replies.length).toBeLessThan(10);
  expect(last?.error !== undefined || last?.result?.['isError'] === true).toBe(true);
});

describe('steps', () => {
  test('run again after they failed, and not twice under one name', async () => {
    let runs = 0;
    const server = asking(async (ctx) => {
      const step = (): Promise<number> =>
        ctx.step('s', async () => {
          runs++;
          if (runs === 1) throw new Error('first');
          return runs;
        });
      await step().catch(() => {});
      const done = await Promise.all([step(), ctx.step('__proto__', () => 'p')]);
      const again = await step().catch((error: Error) => error.message);
      return [...done, again].join();
    });
    for (const revision of ['2025-11-25', '2026-07-28']) {
      runs = 0;
      const wire = await open(server, { revision });
      expect(textOf(await wire.call('tools/call', { name: 't' }))).toBe('2,p,Two steps of one call have the name "s"');
    }
  });

  test('may give nothing', async () => {
    let runs = 0;
    const server = asking(async (ctx) => {
      const nothing = await ctx.step('s', () => {
        runs++;
      });
      await ctx.elicit('?', name);
      return String(nothing);
    });
    expect(textOf((await legs(() => server, accept({ name: 'x' }))).at(-1))).toBe('undefined');
    expect(runs).toBe(1);
  });
});

test('forced re-runs find a side effect that is not in a step', async () => {
  let bookings = 0;
  const server = asking(async (ctx) => {
    bookings++;
    return (await ctx.elicit('?', name)).action;
  });
  const book = async (reruns: boolean): Promise<number> => {
    bookings = 0;
    const answers = [{ action: 'decline' }] as const;
    const client = await testClient(server, { revision: '2025-11-25', inputResponses: answers, reruns });
    expect(await client.callTool('t')).toMatchObject({ content: [{ text: 'decline' }] });
    return bookings;
  };
  expect([await book(false), await book(true)]).toEqual([1, 2]);
});

describe('what the client cannot be asked', () => {
  const questions: [string, (ctx: Context) => Promise<unknown>, object][] = [
    ['elicitation.form', (ctx) => ctx.elicit('?', name), { elicitation: { form: {} } }],
    ['elicitation.url', (ctx) => ctx.elicitUrl('?', 'https://example.com'), { elicitation: { url: {} } }],
    ['sampling', (ctx) => ctx.sample({ messages: [], maxTokens: 1 }), { sampling: {} }],
    ['sampling.tools', (ctx) => ctx.sample({ messages: [], maxTokens: 1, tools: [] }), { sampling: { tools: {} } }],
    ['roots', (ctx) => ctx.listRoots(), { roots: {} }],
  ];

  test.each(questions)('is an error at once that names it: %s', async (capability, ask, requiredCapabilities) => {
    for (const revision of REVISIONS) {
      const wire = await open(asking(ask), { revision });
      const { error } = await wire.call('tools/call', { name: 't' });
      expect(error?.message).toContain(`"${capability}"`);
      if (revision === '2026-07-28') expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
      expect(wire.received).toHaveLength(1);
    }
  });

  test('can be caught, and the handler goes on without', async () => {
    for (const revision of REVISIONS) {
      const server = asking(async (ctx) => {
        if (ctx.can('elicitation.form')) return 'can';
        return ctx.elicit('?', name).catch(() => 'cannot');
      });
      expect(textOf(await (await open(server, { revision })).call('tools/call', { name: 't' }))).toBe('cannot');
    }
  });

  test('is anything while a completion is made under 2026-07-28; it fails and does not hang', async () => {
    const complete = { a: async (_: string, __: unknown, ctx: Context) => [(await ctx.elicit('?', name)).action] };
    const server = make().registerResourceTemplate('x:{a}', { complete }, () => '');
    const params = { ref: { type: 'ref/resource', uri: 'x:{a}' }, argument: { name: 'a', value: '' } };
    const wire = await open(server, { capabilities });
    const reply = await wire.call('completion/complete', params);
    expect(reply.error?.code).toBe(-32603);
    const session = await open(server, { revision: '2025-11-25', capabilities, answer: accept({ name: 'x' }) });
    expect((await session.call('completion/complete', params)).result).toMatchObject({
      completion: { values: ['accept'] },
    });
  });

  const returned = inputRequired({ requests: { r: { method: 'roots/list' } } });
  test.each([
    ['at once', () => returned],
    ['later', async () => returned],
  ])('is refused for a question that is returned %s as well', async (_, handler) => {
    const unhandled = await unhandledDuring(async () => {
      for (const revision of ['2025-11-25', '2026-07-28']) {
        const wire = await open(asking(handler), { revision });
        expect((await wire.call('tools/call', { name: 't' })).error?.message).toContain('"roots"');
      }
    });
    expect(unhandled).toEqual([]);
  });
});

describe('questions that an async handler returns', () => {
  const ask = async (ctx: Context): Promise<unknown> => {
    await Promise.resolve();
    await ctx.step('looked up', () => 1);
    const r = ctx.inputResponses.get('r');
    return r ? `${JSON.stringify(r)}` : inputRequired({ requests: { r: { method: 'roots/list' } } });
  };

  test.each(REVISIONS)('are put once, in %s', async (revision) => {
    let asked = 0;
    const answer: Answer = () => {
      asked++;
      return { roots: [] };
    };
    const build = (): McpServer<unknown> => make().registerTool('t', {}, (_, ctx) => ask(ctx) as Promise<string>);
    if (revision === '2026-07-28') {
      expect(textOf((await legs(build, answer)).at(-1))).toContain('roots');
    } else {
      const wire = await open(build(), { revision, capabilities, answer });
      expect(textOf(await wire.call('tools/call', { name: 't' }))).toContain('roots');
    }
    expect(asked).toBe(1);
  });
});
