import { RpcError } from 'mcpp';
import { McpServer, type McpServerOptions, ToolError } from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { open, quiet, REVISIONS, unhandledDuring } from '../../test/wire.ts';

const make = (options: McpServerOptions = {}): McpServer => new McpServer({ name: 's', version: '1' }, options);

function cyclic(): Error {
  const error = new Error('secret');
  error.cause = error;
  return error;
}

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('secret');
    },
    has() {
      throw new Error('secret');
    },
  },
);

const thrown: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a string', 'secret'],
  ['a number', 42],
  ['an error', new Error('secret pg://user:pw@10.0.0.5')],
  [
    'an object with a getter that throws',
    {
      get message(): string {
        throw new Error('secret');
      },
      get name(): string {
        throw new Error('secret');
      },
    },
  ],
  ['an error with itself as its cause', cyclic()],
  ['an object that throws whatever is done to it', hostile],
  ['a frozen object without a prototype', Object.freeze(Object.create(null))],
];

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a handler that throws', () => {
  test.each(thrown)("%s gets one response without the error's text", async (_, value) => {
    const server = make({ onError: () => {} });
    const boom = (): never => {
      throw value;
    };
    server.registerTool('now', {}, boom);
    server.registerTool('later', {}, () => Promise.reject(value));
    server.registerPrompt('now', {}, boom);
    server.registerResource('x:now', 'text/plain', () => Promise.reject(value));
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const wire = await open(server, { revision });
      const replies = [
        await wire.call('tools/call', { name: 'now' }),
        await wire.call('tools/call', { name: 'later' }),
        await wire.call('prompts/get', { name: 'now' }),
        await wire.call('resources/read', { uri: 'x:now' }),
      ];
      for (const reply of replies) {
        expect(reply.result?.['isError'] === true || reply.error?.code === -32603).toBe(true);
        expect(JSON.stringify(reply)).not.toMatch(/secret|pg:|at /);
      }
      await quiet();
      expect(wire.received).toHaveLength(4);
      expect((await wire.call('tools/list')).result).toBeDefined();
    }
  });

  test('gets a reference: the client gets it, and onError gets it with the error', async () => {
    const onError = vi.fn();
    const error = new Error('pg://user:pw@10.0.0.5');
    const server = make({ onError }).registerTool('t', {}, () => {
      throw error;
    });
    const wire = await open(server);
    const reply = await wire.call('tools/call', { name: 't' });
    expect(onError).toHaveBeenCalledTimes(1);
    const [reported, about] = onError.mock.calls[0] as [unknown, { reference: string }];
    expect(reported).toBe(error);
    expect(about).toMatchObject({ method: 'tools/call', name: 't' });
    expect(reply.result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: `Internal error (reference ${about.reference})` }],
    });
    expect(about.reference.length).toBeGreaterThanOrEqual(8);
  });

  test('is written to stderr without onError', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
    const error = new Error('x');
    const wire = await open(
      make().registerTool('t', {}, () => {
        throw error;
      }),
    );
    await wire.call('tools/call', { name: 't' });
    expect(stderr).toHaveBeenCalledTimes(2);
    expect(stderr.mock.calls[0]).toEqual([expect.stringContaining(`: ${error.stack}`)]);
    expect(stderr.mock.calls[1]?.[0]).toMatch(
      /^mcpp: tools\/call, t, reference [0-9a-f]{8}: The client got only the reference\. Throw new ToolError\('\.\.\.'\)/,
    );
    await wire.call('tools/call', { name: 't' });
    expect(stderr).toHaveBeenCalledTimes(3);
  });

  test('gets a response even if onError throws', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const onError = (): never => {
      throw new Error('onError is broken');
    };
    const wire = await open(
      make({ onError }).registerTool('t', {}, () => {
        throw new Error('x');
      }),
    );
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ isError: true });
  });

  test('leaves no unhandled rejection if onError rejects', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
    const broken = new Error('onError is broken');
    const server = make({ onError: () => Promise.reject(broken) }).registerTool('t', {}, () => {
      throw new Error('x');
    });
    const wire = await open(server);
    const unhandled = await unhandledDuring(async () => {
      expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ isError: true });
    });
    expect([unhandled, stderr.mock.calls]).toEqual([[], [[expect.stringContaining('Error: onError is broken')]]]);
  });

  test('a ToolError is sent to the model with its message', async () => {
    const onError = vi.fn();
    for (const revision of REVISIONS) {
      const server = make({ onError }).registerTool('t', {}, () => {
        throw new ToolError('No flights on that day.\nTry another.');
      });
      const wire = await open(server, { revision });
      expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'No flights on that day.\nTry another.' }],
      });
    }
    expect(onError).not.toHaveBeenCalled();
  });

  test.each(REVISIONS)('an RpcError is sent with its code and data: %s', async (revision) => {
    const onError = vi.fn();
    const server = make({ onError });
    const boom = (): never => {
      throw new RpcError(-31999, 'own', { a: 1 });
    };
    server.registerTool('t', {}, boom);
    server.registerPrompt('p', {}, boom);
    const wire = await open(server, { revision });
    const error = { code: -31999, message: 'own', data: { a: 1 } };
    expect((await wire.call('tools/call', { name: 't' })).error).toEqual(error);
    expect((await wire.call('prompts/get', { name: 'p' })).error).toEqual(error);
    expect(onError).not.toHaveBeenCalled();
  });

  test('codes that the revision does not allow are replaced', async () => {
    const server = make().registerTool('t', {}, () => {
      throw new RpcError(-32002, 'old');
    });
    const code = async (revision: string): Promise<number | undefined> =>
      (await (await open(server, { revision })).call('tools/call', { name: 't' })).error?.code;
    expect([await code('2025-11-25'), await code('2026-07-28')]).toEqual([-32002, -32602]);
  });

  test.each([1.5, -32050, Number.NaN])('the code %d of a handler is replaced under 2026-07-28', async (code) => {
    const server = make().registerTool('t', {}, () => {
      throw new RpcError(code, 'own', { a: 1 });
    });
    expect((await (await open(server)).call('tools/call', { name: 't' })).error).toEqual({
      code: -32603,
      message: 'own',
      data: { a: 1 },
    });
  });
});

describe('a result that cannot be encoded', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const text = { type: 'text', text: 'x' } as const;

  test.each<[string, unknown]>([
    ['a big integer', { a: 1n }],
    ['a big integer beside content', { content: [{ ...text, extra: 1n }] }],
    ['a circle', cycle],
    ['a circle beside content', { content: [text], _meta: cycle }],
    ['a hundred thousand levels', deep],
    ['a hundred thousand levels beside content', { content: [text], _meta: { deep } }],
    ['an object whose toJSON throws', { toJSON: () => JSON.parse('x') }],
    ['an object whose getter throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => JSON.parse('x') })],
  ])('%s gets exactly one error response', async (_, value) => {
    const onError = vi.fn();
    const server = make({ onError }).registerTool('t', {}, () => value as object);
    for (const revision of REVISIONS) {
      const wire = await open(server, { revision });
      wire.say({ jsonrpc: '2.0', id: 'x', method: 'ping', params: {} });
      const reply = await wire.call('tools/call', { name: 't' }, 7);
      expect(reply.error?.code === -32603 || reply.result?.['isError'] === true).toBe(true);
      expect((await wire.call('tools/list', {}, 8)).result).toBeDefined();
      expect(wire.received.filter((one) => one.id === 7)).toHaveLength(1);
    }
    expect(onError).toHaveBeenCalledTimes(REVISIONS.length);
  });

  test('does not affect the other responses of its batch', async () => {
    const server = make({ onError: () => {} })
      .registerTool('bad', {}, () => ({ content: [{ ...text, extra: 1n }] }))
      .registerTool('good', {}, () => 'x');
    const wire = await open(server, { revision: '2025-03-26' });
    const one = (id: number, name: string): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
    wire.say([one(1, 'bad'), one(2, 'good')]);
    await quiet();
    expect(wire.received.map((reply) => [reply.id, reply.error?.code])).toEqual([
      [1, -32603],
      [2, undefined],
    ]);
  });

  test('in a log message or in progress is reported, and the call continues', async () => {
    const onError = vi.fn();
    const server = make({ onError }).registerTool('t', {}, (_, ctx) => {
      ctx.log.error({ a: 1n });
      ctx.log.error(cycle);
      return 'done';
    });
    const wire = await open(server, { revision: '2025-11-25' });
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'done' }] });
    expect(onError).toHaveBeenCalledTimes(2);
  });

  test.each<{ value: unknown }>([{ value: null }, { value: 5 }, { value: 'x' }, { value: [] }])(
    '$value from a handler of one’s own is an internal error',
    async ({ value }) => {
      const onError = vi.fn();
      const wire = await open(make({ onError }).setHandler('com.example/a', () => value));
      expect((await wire.call('com.example/a')).error?.code).toBe(-32603);
      expect(onError).toHaveBeenCalledTimes(1);
    },
  );
});

test('a handler that rejects after its cancellation gets no response and no report', async () => {
  const onError = vi.fn();
  let fail: (error: Error) => void = () => {};
  const server = make({ onError }).registerTool(
    't',
    {},
    () =>
      new Promise<string>((_, reject) => {
        fail = reject;
      }),
  );
  const wire = await open(server);
  const unhandled = await unhandledDuring(async () => {
    void wire.call('tools/call', { name: 't' }, 1);
    await quiet();
    wire.notify('notifications/cancelled', { requestId: 1 });
    fail(new Error('late'));
    await quiet();
  });
  expect([unhandled, wire.received, onError.mock.calls]).toEqual([[], [], []]);
});
