/** Wrong set-up fails at once, with a sentence that says what to do. */

import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { Client, connect } from 'mcpp/client';
import { fetchHandler } from 'mcpp/fetch';
import { nodeHandler, serveHttp } from 'mcpp/http';
import { McpServer, type ServerExtension, serve } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';
import { testClient } from 'mcpp/testing';
import { serveWebSocket, webSocketHandler } from 'mcpp/websocket';
import { describe, expect, test, vi } from 'vitest';
import { open } from '../wire.ts';

const info = { name: 's', version: '1' };
const make = (options: object = {}): McpServer => new McpServer(info, options);
const handler = (): string => 'x';

/** The message of the TypeError that a call throws or rejects with. */
async function refusal(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).not.toMatch(/~internals|undefined|not a function/);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

const needs = (name: string): string => `${name} needs an McpServer as its first argument, as in ${name}(server)`;

describe('a missing server', () => {
  test.each<[string, () => unknown]>([
    ['nodeHandler', () => nodeHandler(undefined as never)],
    ['fetchHandler', () => fetchHandler(undefined as never)],
    ['serveStdio', () => serveStdio(undefined as never)],
    ['serveHttp', () => serveHttp({ port: 3000 } as never)],
    ['serve', () => serve(undefined as never, undefined as never)],
    ['serveWebSocket', () => serveWebSocket(undefined as never)],
    ['webSocketHandler', () => webSocketHandler(undefined as never)],
  ])('%s', async (name, call) => {
    expect(await refusal(call)).toBe(needs(name));
  });

  test('a handler function that is passed on in place of what it makes', async () => {
    const messages: Promise<string>[] = [];
    const http = createServer((request, response) => {
      messages.push(refusal(() => nodeHandler(request as never, response as never)));
      response.end();
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as { port: number };
    await fetch(`http://127.0.0.1:${port}`);
    expect(await messages[0]).toBe(
      'nodeHandler was called with a request: pass nodeHandler(server) to the framework, not nodeHandler itself',
    );
    http.close();
    expect(await refusal(() => fetchHandler(new Request('http://x') as never))).toMatch(
      /^fetchHandler was called with a request/,
    );
  });
});

test('serve with a URL in place of a transport', async () => {
  expect(await refusal(() => serve(make(), 'http://x' as never))).toMatch(
    /^serve needs a transport as its second argument.*serveHttp\(server, \{ port \}\) of mcpp\/http/,
  );
});

test('use and setHandler without a function', async () => {
  expect(await refusal(() => make().use('x' as never))).toBe('use needs a function, (ctx, next) => next()');
  expect(await refusal(() => new Client(info).use('x' as never))).toBe('use needs a function, (call, next) => next()');
  expect(await refusal(() => make().setHandler('a/b', 1 as never))).toBe(
    'setHandler: the handler of "a/b" must be a function',
  );
});

describe('a second serveStdio', () => {
  test('on the same streams is refused, and taken again after the first has ended', async () => {
    const streams = { input: new PassThrough(), output: new PassThrough(), exit: false };
    const first = await serveStdio(make(), streams);
    await expect(serveStdio(make(), streams)).rejects.toThrow('serveStdio: these streams are being served already');
    await expect(serveStdio(make(), { ...streams, output: new PassThrough() })).rejects.toThrow('served already');
    await first.close();
    const second = await serveStdio(make(), { ...streams, input: new PassThrough() });
    await second.close();
  });
});

describe('an option that is not known', () => {
  test.each<[string, () => unknown, string]>([
    [
      'of McpServer',
      () => make({ instruction: 'x' }),
      'McpServer: unknown option "instruction"; did you mean "instructions"?',
    ],
    [
      'of its limits',
      () => make({ limits: { pagesize: 1 } }),
      'McpServer: limits: unknown option "pagesize"; did you mean "pageSize"?',
    ],
    [
      'of its cache',
      () => make({ cache: { ttl: 1 } }),
      'McpServer: cache: unknown option "ttl"; known: ttlMs, cacheScope',
    ],
    [
      'of a tool',
      () => make().registerTool('t', { inputschema: {} } as never, handler),
      'Tool "t": unknown option "inputschema"; did you mean "inputSchema"?',
    ],
    [
      'of a tool, from another library',
      () => make().registerTool('t', { parameters: {} } as never, handler),
      'Tool "t": unknown option "parameters"; did you mean "inputSchema"?',
    ],
    [
      'that is the handler',
      () => make().registerTool('t', handler as never, handler),
      'Tool "t": options must be an object',
    ],
    [
      'that is left out',
      () => make().registerTool('t', undefined as never, handler),
      'Tool "t": options must be an object',
    ],
    [
      'of a prompt',
      () => make().registerPrompt('p', { argSchema: {} } as never, handler),
      'Prompt "p": unknown option "argSchema"; did you mean "argsSchema"?',
    ],
    [
      'of a resource',
      () => make().registerResource('x:r', { mimetype: 'a/b' } as never, handler),
      'Resource "x:r": unknown option "mimetype"; did you mean "mimeType"?',
    ],
    [
      'of a template',
      () => make().registerResourceTemplate('x:{a}', { completes: {} } as never, handler),
      'Resource template "x:{a}": unknown option "completes"; did you mean "complete"?',
    ],
    [
      'of serveHttp',
      () => serveHttp(make(), { host: 'x' } as never),
      'serveHttp: unknown option "host"; did you mean "address"?',
    ],
    ['of serveHttp that are a port', () => serveHttp(make(), 4999 as never), 'serveHttp: options must be an object'],
    [
      'of its limits',
      () => serveHttp(make(), { limits: { bodybytes: 1 } } as never),
      'serveHttp: limits: unknown option "bodybytes"; did you mean "bodyBytes"?',
    ],
    [
      'of its sessions',
      () => nodeHandler(make(), { sessions: { idleMS: 1 } } as never),
      'nodeHandler: sessions: unknown option "idleMS"; did you mean "idleMs"?',
    ],
    ['of fetchHandler', () => fetchHandler(make(), { port: 1 } as never), 'fetchHandler: unknown option "port"'],
    [
      'of serveStdio',
      () => serveStdio(make(), { port: 1 } as never),
      'serveStdio: unknown option "port"; known: exit, onClose',
    ],
    [
      'of serve',
      () => serve(make(), { connect() {}, send() {} } as never, { principle: {} } as never),
      'serve: unknown option "principle"; did you mean "principal"?',
    ],
    [
      'of serveWebSocket',
      () => serveWebSocket(make(), { prot: 1 } as never),
      'serveWebSocket: unknown option "prot"; did you mean "port"?',
    ],
    [
      'of connect',
      () => connect(make(), { timout: 1 } as never),
      'connect: unknown option "timout"; did you mean "timeout"?',
    ],
    [
      'of its reconnect',
      () => connect(make(), { reconnect: { tries: 1 } } as never),
      'connect: reconnect: unknown option "tries"',
    ],
    [
      'of Client',
      () => new Client(info, { onelicit: 1 } as never),
      'Client: unknown option "onelicit"; did you mean "onElicit"?',
    ],
    ['of testClient', () => testClient(make(), { answer: [] } as never), 'connect: unknown option "answer"'],
  ])('%s', async (_, call, message) => {
    expect(await refusal(call)).toContain(message);
  });

  test('is no error if its value is undefined, or if it is inherited', async () => {
    const options = Object.assign(Object.create({ inherited: 1 }), { nonsense: undefined, exit: undefined });
    expect(() => make(options).registerTool('t', options, handler)).not.toThrow();
    await (await connect(make(), options)).close();
  });

  test('is known if an extension of the server declares it for tools', () => {
    const extension: ServerExtension = { id: 'com.example/price', server: { toolOptions: ['price'] } };
    expect(() => make().registerTool('t', { price: 1 } as never, handler)).toThrow('unknown option "price"');
    expect(() => make({ extensions: [extension] }).registerTool('t', { price: 1 } as never, handler)).not.toThrow();
  });

  test('is not looked for in options of a single call', async () => {
    const client = await testClient(make().registerTool('t', {}, handler));
    await expect(client.callTool('t', {}, { timout: 1 } as never)).resolves.toBeDefined();
    await client.close();
  });
});

describe('connect', () => {
  test('refuses restart for a server at a URL', async () => {
    expect(await refusal(() => connect('http://127.0.0.1:9/mcp', { restart: true }))).toMatch(
      /^connect: "restart" is for programs, as in connect\(\{ command, args \}, \{ restart: true \}\)/,
    );
  });

  test('names the way to give a URL', async () => {
    expect(await refusal(() => connect({ url: 'http://x' } as never))).toBe(
      'connect takes the URL itself, as in connect(target.url), not { url }',
    );
  });
});

describe('a middleware that returns nothing for a request', () => {
  test.each(['2025-11-25', '2026-07-28'])('is named, and the client gets -32603: %s', async (revision) => {
    const onError = vi.fn();
    const server = make({ onError })
      .use((_, next) => next())
      .use(async function audit(ctx, next) {
        const result = await next();
        return ctx.method === 'initialize' ? result : undefined;
      })
      .registerTool('t', {}, handler);
    const wire = await open(server, { revision });
    const { error } = await wire.call('tools/call', { name: 't' });
    expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/^Internal error \(reference/) });
    expect(String(onError.mock.calls[0]?.[0])).toBe(
      'WrongReturn: Middleware 2 ("audit") returned nothing for tools/call: return await next(), or a result',
    );
  });

  test('is named if it is the only one, and synchronous', async () => {
    const onError = vi.fn();
    const wire = await open(make({ onError }).use(() => undefined));
    expect((await wire.call('ping')).error?.code).toBe(-32603);
    expect(String(onError.mock.calls[0]?.[0])).toMatch(/^WrongReturn: Middleware 1 returned nothing for ping: /);
  });

  test('is fine for notifications and for handlers that return nothing', async () => {
    const onError = vi.fn();
    const server = make({ onError })
      .use((_, next) => next())
      .setHandler('com.example/void', () => undefined);
    const wire = await open(server);
    expect((await wire.call('com.example/void')).result).toBeDefined();
    wire.notify('notifications/cancelled', { requestId: 9 });
    expect(onError).not.toHaveBeenCalled();
  });
});
