/** Calls that are detached too late, concurrently with other events, or too often. */

import type { CallToolResult } from 'mcpp';
import {
  type Context,
  type DetachedCall,
  extensionResult,
  McpServer,
  type McpServerOptions,
  RpcError,
  type ServerExtension,
} from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { open, quiet, unhandledDuring } from '../../../test/wire.ts';

const ID = 'com.example/jobs';
const capabilities = { elicitation: {}, extensions: { [ID]: {} } };
const form = { type: 'object', properties: { name: { type: 'string' } } } as const;
const AUTO = { task: 'auto' } as const;
const MANUAL = { task: 'auto', detach: 'manual' } as const;
const JOB = { resultType: 'job' };
const CANCELLED = { error: { code: -32603, message: 'The call was cancelled before it began' } };

type Handler = (args: unknown, ctx: Context) => unknown;

/** A promise with its `resolve` function. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** An extension that starts a task when `ready` resolves. */
class Jobs {
  readonly asked: string[] = [];
  readonly answers: ((answer: unknown) => void)[] = [];
  readonly ends: Parameters<DetachedCall['end']>[0][] = [];
  made = 0;
  ready: Promise<void> = Promise.resolve();
  refusal: Error | undefined;
  isFull = false;

  readonly #extension: ServerExtension = {
    id: ID,
    resultTypes: { job: ['tools/call'] },
    server: {
      detach: ({ isDeclared }) => {
        if (!isDeclared) return undefined;
        return async () => {
          await this.ready;
          if (this.refusal) throw this.refusal;
          if (this.isFull) return undefined;
          this.made++;
          return { result: extensionResult('job', {}), call: this.#call() };
        };
      },
    },
  };

  #call(): DetachedCall {
    return {
      signal: new AbortController().signal,
      ask: ({ params }) => {
        this.asked.push(String((params as { message?: string } | undefined)?.message));
        return new Promise((answer) => this.answers.push(answer));
      },
      progress: () => {},
      end: (outcome) => void this.ends.push(outcome),
    };
  }

  server(config: typeof AUTO | typeof MANUAL, handler: Handler, options: McpServerOptions = {}): McpServer {
    const server = new McpServer({ name: 's', version: '1' }, { ...options, extensions: [this.#extension] });
    server.registerTool('t', config, handler as () => CallToolResult);
    return server;
  }
}

afterEach(() => {
  vi.useRealTimers();
});

describe('an input request while the call is being detached', () => {
  const asking: Handler = async (_, ctx) => {
    void ctx.detach();
    return JSON.stringify(await ctx.elicit('A?', form));
  };

  test('is sent once, to the task', async () => {
    const jobs = new Jobs();
    const wire = await open(jobs.server(MANUAL, asking), { capabilities });
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject(JOB);
    await quiet();
    expect(jobs.asked).toEqual(['A?']);
    jobs.answers[0]?.({ action: 'decline' });
    await quiet();
    expect(jobs.ends).toMatchObject([{ result: { content: [{ text: '{"action":"decline"}' }] } }]);
    expect(wire.received).toHaveLength(1);
  });

  test.each(['full', 'refusing'])('is sent in an input_required result if the task starter is %s', async (how) => {
    const jobs = new Jobs();
    if (how === 'full') jobs.isFull = true;
    else jobs.refusal = RpcError.internal('no');
    const wire = await open(jobs.server(MANUAL, asking), { capabilities });
    const unhandled = await unhandledDuring(async () => {
      const { result } = await wire.call('tools/call', { name: 't' });
      expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { 'elicitation/create#0': {} } });
    });
    expect([jobs.asked, unhandled]).toEqual([[], []]);
  });
});

test('a rejected ctx.detach() that is not awaited is no unhandled rejection', async () => {
  const jobs = new Jobs();
  jobs.refusal = RpcError.internal('no');
  const server = jobs.server(MANUAL, (_, ctx) => {
    void ctx.detach();
    return 'done';
  });
  const wire = await open(server, { capabilities });
  const unhandled = await unhandledDuring(async () => {
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'done' }] });
  });
  expect(unhandled).toEqual([]);
});

describe('no task is started for', () => {
  test('a call whose handler has settled', async () => {
    const jobs = new Jobs();
    let kept: Context | undefined;
    const server = jobs.server(MANUAL, (_, ctx) => {
      kept = ctx;
      return 'done';
    });
    await (await open(server, { capabilities })).call('tools/call', { name: 't' });
    expect(await kept?.detach()).toBe(false);
    expect(jobs.made).toBe(0);
  });

  test('a call that has exceeded limits.handlerMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const jobs = new Jobs();
    const { opened, open: go } = gate();
    let isJob: boolean | undefined;
    const server = jobs.server(
      MANUAL,
      async (_, ctx) => {
        await opened;
        isJob = await ctx.detach();
        return 'done';
      },
      { limits: { handlerMs: 1000 } },
    );
    const wire = await open(server, { capabilities });
    const call = wire.call('tools/call', { name: 't' });
    await vi.advanceTimersByTimeAsync(1000);
    expect((await call).error).toMatchObject({ message: 'The request took more than 1000 ms' });
    go();
    await quiet();
    expect([isJob, jobs.made]).toEqual([false, 0]);
  });
});

describe('a handler is not called', () => {
  test('if the call was cancelled while its task was started; the task gets the error', async () => {
    const jobs = new Jobs();
    const { opened, open: go } = gate();
    jobs.ready = opened;
    const handler = vi.fn(() => 'done');
    const wire = await open(jobs.server(AUTO, handler), { capabilities });
    void wire.call('tools/call', { name: 't' }, 7);
    wire.notify('notifications/cancelled', { requestId: 7 });
    go();
    await quiet();
    expect(jobs.ends).toEqual([CANCELLED]);
    expect(handler).not.toHaveBeenCalled();
    expect(wire.received).toEqual([]);
  });

  test('if starting the task exceeded limits.handlerMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const jobs = new Jobs();
    const { opened, open: go } = gate();
    jobs.ready = opened;
    const handler = vi.fn(() => 'done');
    const wire = await open(jobs.server(AUTO, handler, { limits: { handlerMs: 1000 } }), { capabilities });
    const call = wire.call('tools/call', { name: 't' });
    await vi.advanceTimersByTimeAsync(1000);
    expect((await call).error).toMatchObject({ code: -32603 });
    go();
    await quiet();
    expect(jobs.ends).toEqual([CANCELLED]);
    expect(handler).not.toHaveBeenCalled();
  });
});

test.each([AUTO, MANUAL])(
  'a call that is cancelled before its response is sent aborts the task: %j',
  async (config) => {
    const jobs = new Jobs();
    const { opened, open: go } = gate();
    const server = jobs.server(config, async (_, ctx) => {
      await ctx.detach();
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      return 'stopped';
    });
    server.use(async (_, next) => {
      const answer = await next();
      await opened;
      return answer;
    });
    const wire = await open(server, { capabilities });
    void wire.call('tools/call', { name: 't' }, 7);
    await quiet();
    wire.notify('notifications/cancelled', { requestId: 7 });
    await quiet();
    expect(jobs.ends).toMatchObject([{ result: { content: [{ text: 'stopped' }] } }]);
    go();
  },
);

test.each([AUTO, MANUAL])(
  'only so many handlers run after a hand-off, whatever became of their jobs: %j',
  async (config) => {
    const jobs = new Jobs();
    const { opened, open: go } = gate();
    const server = jobs.server(
      config,
      async (_, ctx) => {
        await ctx.detach();
        await opened;
        return 'done';
      },
      { limits: { detached: 2 } },
    );
    const wire = await open(server, { capabilities });
    const call = () => wire.call('tools/call', { name: 't' });
    expect([(await call()).result, (await call()).result]).toMatchObject([JOB, JOB]);
    expect((await call()).error).toEqual({
      code: -32603,
      message: 'Too many detached calls are running: try again later',
    });
    go();
    await quiet();
    expect((await call()).result).toMatchObject(JOB);
    await quiet();
    expect([jobs.made, jobs.ends.length]).toEqual([3, 3]);
  },
);

test('many concurrent input requests cause no warning of a listener leak', async () => {
  const jobs = new Jobs();
  const warnings: Error[] = [];
  const keep = (warning: Error): void => void warnings.push(warning);
  process.on('warning', keep);
  const server = jobs.server(AUTO, (_, ctx) =>
    Promise.all(Array.from({ length: 20 }, (_, index) => ctx.elicit(`${index}?`, form))),
  );
  const wire = await open(server, { capabilities });
  await wire.call('tools/call', { name: 't' });
  await quiet();
  process.off('warning', keep);
  expect(jobs.asked).toHaveLength(20);
  expect(warnings).toEqual([]);
});

test('calls whose tasks start at the same time do not exceed limits.detached', async () => {
  const jobs = new Jobs();
  const { opened, open: go } = gate();
  jobs.ready = opened;
  const server = jobs.server(AUTO, () => new Promise(() => {}), { limits: { detached: 2 } });
  const wire = await open(server, { capabilities });
  const calls = [1, 2, 3].map(() => wire.call('tools/call', { name: 't' }));
  go();
  const responses = await Promise.all(calls);
  expect(responses.filter(({ error }) => error).length).toBe(1);
  expect(jobs.made).toBe(2);
});

test('ctx.detach() tries again after no task could be started', async () => {
  const jobs = new Jobs();
  jobs.isFull = true;
  const outcomes: boolean[] = [];
  const server = jobs.server(MANUAL, async (_, ctx) => {
    outcomes.push(await ctx.detach());
    jobs.isFull = false;
    outcomes.push(await ctx.detach());
    return 'done';
  });
  const wire = await open(server, { capabilities });
  expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject(JOB);
  await quiet();
  expect(outcomes).toEqual([false, true]);
});
