import type { CallToolResult, ElicitResult } from 'mcpp';
import {
  type Context,
  type DetachedCall,
  extensionResult,
  inputRequired,
  McpServer,
  RpcError,
  type ServerExtension,
  type ToolConfig,
} from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { open, quiet, unhandledDuring } from '../../../test/wire.ts';

const ID = 'com.example/jobs';
const capabilities = { elicitation: {}, extensions: { [ID]: {} } };
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const named = (name: string): ElicitResult => ({ action: 'accept', content: { name } });

/** An extension that records its tasks for the test. */
class Jobs {
  readonly ended: Promise<Parameters<DetachedCall['end']>[0]>;
  readonly inputRequests: { method: string; params?: unknown; respond: (response: unknown) => void }[] = [];
  readonly progress: unknown[] = [];
  readonly abort: AbortController = new AbortController();
  readonly errors: unknown[] = [];
  ends = 0;
  made = 0;
  refusal: Error | undefined;
  isFull = false;
  #end: (outcome: Parameters<DetachedCall['end']>[0]) => void = () => {};

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  readonly extension: ServerExtension = {
    id: ID,
    resultTypes: { job: ['tools/call'] },
    server: {
      detach: ({ config, isDeclared }) =>
        isDeclared && config.task === 'auto'
          ? async () => {
              if (this.refusal) throw this.refusal;
              if (this.isFull) return undefined;
              this.made++;
              return { result: extensionResult('job', { jobId: 'j1' }), call: this.#call };
            }
          : undefined,
    },
  };

  readonly #call: DetachedCall = {
    signal: this.abort.signal,
    ask: (request) => new Promise((respond) => this.inputRequests.push({ ...request, respond })),
    progress: (...how) => this.progress.push(how),
    end: (outcome) => {
      this.ends++;
      this.#end(outcome);
    },
  };

  server(config: ToolConfig, handler: (args: unknown, ctx: Context) => unknown): McpServer {
    const options = { extensions: [this.extension], onError: (error: unknown) => this.errors.push(error) };
    const server = new McpServer({ name: 's', version: '1' }, options);
    server.registerTool('t', config, handler as () => CallToolResult);
    return server;
  }
}

const JOB = { resultType: 'job', jobId: 'j1' };
const text = (of: string) => ({ result: expect.objectContaining({ content: [{ type: 'text', text: of }] }) });

describe('a call that is detached before its handler runs', () => {
  test('is answered at once; the task gets the result of the handler', async () => {
    const jobs = new Jobs();
    const wire = await open(
      jobs.server({ task: 'auto' }, () => 'done'),
      { capabilities },
    );
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject(JOB);
    expect(await jobs.ended).toEqual({
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: 'done' }],
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
      },
    });
  });

  test('sends concurrent input requests to the task, and its handler runs once', async () => {
    const jobs = new Jobs();
    let runs = 0;
    const server = jobs.server({ task: 'auto' }, async (_, ctx) => {
      runs++;
      const both = await Promise.all([ctx.elicit('A?', form), ctx.elicit('B?', form)]);
      return JSON.stringify(both.map((one) => one.action === 'accept' && one.content.name));
    });
    const wire = await open(server, { capabilities });
    await wire.call('tools/call', { name: 't' });
    await quiet();
    const requestedSchema = form;
    expect(jobs.inputRequests).toMatchObject([
      { method: 'elicitation/create', params: { mode: 'form', message: 'A?', requestedSchema } },
      { method: 'elicitation/create', params: { mode: 'form', message: 'B?', requestedSchema } },
    ]);
    jobs.inputRequests[1]?.respond(named('b'));
    jobs.inputRequests[0]?.respond(named('a'));
    expect(await jobs.ended).toEqual(text('["a","b"]'));
    expect(runs).toBe(1);
  });

  test('sends an input request again if the response does not match the form', async () => {
    const jobs = new Jobs();
    const server = jobs.server({ task: 'auto' }, async (_, ctx) => JSON.stringify(await ctx.elicit('A?', form)));
    const wire = await open(server, { capabilities });
    await wire.call('tools/call', { name: 't' });
    await quiet();
    jobs.inputRequests[0]?.respond({ action: 'accept', content: {} });
    await quiet();
    jobs.inputRequests[1]?.respond({ action: 'decline' });
    expect(await jobs.ended).toEqual(text('{"action":"decline"}'));
  });

  test('may return inputRequired: the task gets the requests and the handler runs again', async () => {
    const jobs = new Jobs();
    const server = jobs.server({ task: 'auto' }, (_, ctx) => {
      if (ctx.state === 'asked') return JSON.stringify(ctx.inputResponses.get('roots'));
      return inputRequired({ requests: { roots: { method: 'roots/list' } }, state: 'asked' });
    });
    const wire = await open(server, { capabilities: { ...capabilities, roots: {} } });
    await wire.call('tools/call', { name: 't' });
    await quiet();
    jobs.inputRequests[0]?.respond({ roots: [] });
    expect(await jobs.ended).toEqual(text('{"roots":[]}'));
  });

  test('reports progress to the task, with or without a progress token, and sends no notification', async () => {
    const jobs = new Jobs();
    const server = jobs.server({ task: 'auto' }, (_, ctx) => {
      ctx.reportProgress(1, 2, 'half');
      ctx.log.error('x');
      ctx.notify('notifications/own');
      return 'done';
    });
    const wire = await open(server, { capabilities });
    await wire.call('tools/call', {
      name: 't',
      _meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' },
    });
    await jobs.ended;
    expect(jobs.progress).toEqual([[1, 2, 'half']]);
    expect(wire.received).toHaveLength(1);
  });

  test('aborts its signal and its input requests with the task', async () => {
    const jobs = new Jobs();
    const server = jobs.server({ task: 'auto' }, async (_, ctx) => {
      await ctx.elicit('A?', form).catch(() => {});
      return String(ctx.signal.reason);
    });
    const wire = await open(server, { capabilities });
    await wire.call('tools/call', { name: 't' });
    await quiet();
    jobs.abort.abort('enough');
    expect(await jobs.ended).toEqual(text('enough'));
  });

  test('continues when its connection closes', async () => {
    const jobs = new Jobs();
    let go = (): void => {};
    const server = jobs.server({ task: 'auto' }, async (_, ctx) => {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      return String(ctx.signal.aborted);
    });
    const wire = await open(server, { capabilities });
    await wire.call('tools/call', { name: 't' });
    await wire.disconnect();
    go();
    expect(await jobs.ended).toEqual(text('false'));
  });

  test('ends with a JSON-RPC error, or with a result with isError', async () => {
    const [failing, faulty] = [new Jobs(), new Jobs()];
    const refuse = (): never => {
      throw RpcError.invalidParams('no');
    };
    await (await open(failing.server({ task: 'auto' }, refuse), { capabilities })).call('tools/call', { name: 't' });
    expect(await failing.ended).toEqual({ error: { code: -32602, message: 'no' } });
    const bug = (): never => {
      throw new Error('secret');
    };
    await (await open(faulty.server({ task: 'auto' }, bug), { capabilities })).call('tools/call', { name: 't' });
    expect(await faulty.ended).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(await faulty.ended)).not.toContain('secret');
    expect(faulty.errors).toMatchObject([{ message: 'secret' }]);
  });

  test('is not detached with invalid arguments, nor for clients that did not declare the extension', async () => {
    const jobs = new Jobs();
    const server = jobs.server({ task: 'auto', inputSchema: form }, () => 'plain');
    const wire = await open(server, { capabilities });
    expect((await wire.call('tools/call', { name: 't', arguments: {} })).result).toMatchObject({ isError: true });
    const args = { name: 't', arguments: { name: 'x' } };
    const other = await open(server);
    expect((await other.call('tools/call', args)).result).toMatchObject({ content: [{ text: 'plain' }] });
    expect(jobs.made).toBe(0);
  });

  test('runs normally if no task is started', async () => {
    const jobs = new Jobs();
    jobs.isFull = true;
    const wire = await open(
      jobs.server({ task: 'auto' }, async (_, ctx) => JSON.stringify(await ctx.elicit('A?', form))),
      { capabilities },
    );
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ resultType: 'input_required' });
    expect(jobs.inputRequests).toEqual([]);
  });

  test('is refused if starting the task throws', async () => {
    const jobs = new Jobs();
    jobs.refusal = RpcError.internal('Too many jobs');
    const wire = await open(
      jobs.server({ task: 'auto' }, () => 'done'),
      { capabilities },
    );
    expect((await wire.call('tools/call', { name: 't' })).error).toEqual({ code: -32603, message: 'Too many jobs' });
  });
});

describe('a call whose handler calls ctx.detach()', () => {
  const manual = { task: 'auto', detach: 'manual' } as const;

  test('requires input by retry before, of the task after, and keeps earlier responses', async () => {
    const jobs = new Jobs();
    let effects = 0;
    const server = jobs.server(manual, async (_, ctx) => {
      const first = await ctx.elicit('A?', form);
      await ctx.step('effect', () => effects++);
      const isJob = await ctx.detach();
      const second = await ctx.elicit('B?', form);
      return JSON.stringify([first, isJob, second]);
    });
    const wire = await open(server, { capabilities });
    const { result } = await wire.call('tools/call', { name: 't' });
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { 'elicitation/create#0': {} } });
    const retry = { inputResponses: { 'elicitation/create#0': named('a') }, requestState: result?.['requestState'] };
    const { result: job } = await wire.call('tools/call', { name: 't', ...retry });
    expect(job).toMatchObject(JOB);
    expect(job).not.toHaveProperty('requestState');
    await quiet();
    expect(jobs.inputRequests).toMatchObject([{ params: { message: 'B?' } }]);
    jobs.inputRequests[0]?.respond({ action: 'decline' });
    expect(await jobs.ended).toEqual(text('[{"action":"accept","content":{"name":"a"}},true,{"action":"decline"}]'));
    expect([jobs.made, jobs.ends, effects]).toEqual([1, 1, 1]);
  });

  test('keeps its signal', async () => {
    const jobs = new Jobs();
    const keeping = jobs.server(manual, async (_, ctx) => {
      const { signal } = ctx;
      await ctx.detach();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return `ended: ${signal.reason}`;
    });
    const wire = await open(keeping, { capabilities });
    await wire.call('tools/call', { name: 't' });
    await quiet();
    jobs.abort.abort('enough');
    expect(await jobs.ended).toEqual(text('ended: enough'));
  });

  test('may return before it detaches: then it is an ordinary call', async () => {
    const jobs = new Jobs();
    const wire = await open(
      jobs.server(manual, () => 'done'),
      { capabilities },
    );
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'done' }] });
    expect(jobs.made).toBe(0);
  });

  test('may detach and return at once', async () => {
    const jobs = new Jobs();
    const server = jobs.server(manual, (_, ctx) => {
      void ctx.detach();
      void ctx.detach();
      return 'done';
    });
    const wire = await open(server, { capabilities });
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject(JOB);
    expect(await jobs.ended).toEqual(text('done'));
    expect([jobs.made, jobs.ends]).toEqual([1, 1]);
  });

  test('is not detached while an input request is pending', async () => {
    const jobs = new Jobs();
    const server = jobs.server(manual, async (_, ctx) => {
      await Promise.all([ctx.elicit('A?', form), ctx.detach()]);
      return 'done';
    });
    const wire = await open(server, { capabilities });
    const { result } = await wire.call('tools/call', { name: 't' });
    expect(result).toMatchObject({ resultType: 'input_required' });
    expect(jobs.made).toBe(0);
  });

  test('fails like any call if starting the task throws', async () => {
    const jobs = new Jobs();
    jobs.refusal = RpcError.internal('Too many jobs');
    const server = jobs.server(manual, async (_, ctx) => {
      await ctx.detach();
      return 'done';
    });
    const wire = await open(server, { capabilities });
    const unhandled = await unhandledDuring(async () => {
      expect((await wire.call('tools/call', { name: 't' })).error).toMatchObject({ message: 'Too many jobs' });
    });
    expect(unhandled).toEqual([]);
  });

  test('continues normally if no task is started', async () => {
    const jobs = new Jobs();
    jobs.isFull = true;
    const wire = await open(
      jobs.server(manual, async (_, ctx) => String(await ctx.detach())),
      { capabilities },
    );
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'false' }] });
  });

  test('continues normally for clients that did not declare the extension', async () => {
    const jobs = new Jobs();
    const server = jobs.server(manual, async (_, ctx) => String(await ctx.detach()));
    const wire = await open(server);
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'false' }] });
  });

  test('may return inputRequired afterwards', async () => {
    const jobs = new Jobs();
    const server = jobs.server(manual, async (_, ctx) => {
      await ctx.detach();
      const roots = ctx.inputResponses.get('roots');
      return roots ? JSON.stringify(roots) : inputRequired({ requests: { roots: { method: 'roots/list' } } });
    });
    const wire = await open(server, { capabilities: { ...capabilities, roots: {} } });
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject(JOB);
    await quiet();
    jobs.inputRequests[0]?.respond({ roots: [] });
    expect(await jobs.ended).toEqual(text('{"roots":[]}'));
    expect([jobs.made, jobs.ends]).toEqual([1, 1]);
  });
});

test('middleware gets the result of the task, not that of the handler', async () => {
  const jobs = new Jobs();
  const seen: unknown[] = [];
  const server = jobs
    .server({ task: 'auto' }, () => 'done')
    .use(async (_, next) => {
      const result = await next();
      seen.push(result);
      return result;
    });
  const wire = await open(server, { capabilities });
  expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject(JOB);
  expect(seen).toEqual([extensionResult('job', { jobId: 'j1' })]);
});

test('an error of end() is reported', async () => {
  const jobs = new Jobs();
  const { server } = jobs.extension;
  const failing: ServerExtension = {
    ...jobs.extension,
    server: {
      detach: (call) => {
        const startTask = server?.detach?.(call);
        return (
          startTask &&
          (async () => {
            const started = await startTask();
            return (
              started && {
                ...started,
                call: { ...started.call, end: () => Promise.reject(new Error('the store is gone')) },
              }
            );
          })
        );
      },
    },
  };
  const errors: unknown[] = [];
  const options = { extensions: [failing], onError: (error: unknown) => errors.push(error) };
  const wire = await open(
    new McpServer({ name: 's', version: '1' }, options).registerTool('t', { task: 'auto' }, () => 'x'),
    {
      capabilities,
    },
  );
  await wire.call('tools/call', { name: 't' });
  await quiet();
  expect(errors).toMatchObject([{ message: 'the store is gone' }]);
});

test('a result of an extension requires that the request declares it', async () => {
  const jobs = new Jobs();
  const server = jobs.server({}, () => extensionResult('job', { jobId: 'own' }));
  const declared = await open(server, { capabilities });
  expect((await declared.call('tools/call', { name: 't' })).result).toMatchObject({ resultType: 'job', jobId: 'own' });
  const other = await open(server);
  expect((await other.call('tools/call', { name: 't' })).error).toMatchObject({ code: -32603 });
  expect(String(jobs.errors[0])).toContain('The client did not declare "com.example/jobs"');
});

describe('a tool with the option task', () => {
  const make = (config: object) => () =>
    new McpServer({ name: 's', version: '1' }).registerTool('t', config as ToolConfig, () => 'x');

  test('"required" needs an extension with the hook detach', () => {
    expect(make({ task: 'required' })).toThrow(
      'Tool "t": task: "required" needs the tasks extension: new McpServer(info, { extensions: [tasks()] })',
    );
  });

  test('"auto" is an ordinary tool without such an extension', async () => {
    const wire = await open(make({ task: 'auto' })());
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'x' }] });
    expect((await wire.call('tools/list')).result?.['tools']).toEqual([
      { name: 't', inputSchema: { type: 'object', properties: {} } },
    ]);
  });

  test.each([{ task: 'yes' }, { task: true }, { detach: 'start' }])('other values are refused: %j', (config) => {
    expect(make(config)).toThrow(/^Tool "t": (task must be|detach can only be)/);
  });
});
