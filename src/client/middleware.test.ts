import { RpcError } from 'mcpp';
import { Client, type ClientCall } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { PRIOR, Script } from '../../test/script.ts';
import { quiet, REVISIONS } from '../../test/wire.ts';

const info = { name: 'me', version: '1' };

const server = new McpServer({ name: 's', version: '1' })
  .registerTool('greet', {}, async (_, ctx) => {
    const { roots } = await ctx.listRoots();
    ctx.log.info('about to greet');
    return `Hello ${roots[0]?.name} ${String(ctx.meta['com.example/mark'])}`;
  })
  .setHandler('com.example/own', (params) => ({ params }));

describe('middleware', () => {
  test.each(REVISIONS)('is around everything, in both directions, the first one outermost: %s', async (revision) => {
    const seen: string[] = [];
    const layer = (name: string) => async (call: ClientCall, next: () => Promise<unknown>) => {
      seen.push(`${name} ${call.direction} ${call.kind} ${call.method} ${call.revision}`);
      const result = await next();
      if (call.kind === 'request') seen.push(`${name} done ${call.method}`);
      return result;
    };
    const client = new Client(info, { roots: [{ uri: 'file:///r', name: 'root' }], logLevel: 'info', revision })
      .use(layer('a'))
      .use(layer('b'));
    const connection = await client.connect(server);
    seen.length = 0;
    await connection.callTool('greet');
    connection.notify('notifications/com.example/note');
    await quiet();
    expect(seen.filter((line) => !line.includes('notifications/message'))).toEqual([
      `a out request tools/call ${revision}`,
      `b out request tools/call ${revision}`,
      `a in request roots/list ${revision}`,
      `b in request roots/list ${revision}`,
      'b done roots/list',
      'a done roots/list',
      'b done tools/call',
      'a done tools/call',
      `a out notification notifications/com.example/note ${revision}`,
      `b out notification notifications/com.example/note ${revision}`,
    ]);
    expect(seen).toContain(`a in notification notifications/message ${revision}`);
    await connection.close();
  });

  test('may change what is sent, and what comes back', async () => {
    const client = new Client(info).use(async (call, next) => {
      const result = (await next({ ...call, params: { ...call.params, added: true } })) as object;
      return { ...result, seen: true };
    });
    const connection = await client.connect(server);
    expect(await connection.request('com.example/own', { given: 1 })).toMatchObject({
      params: { given: 1, added: true },
      seen: true,
    });
  });

  test('may answer in place of the server, and of the handler', async () => {
    const script = new Script().greets('2025-11-25');
    const client = new Client(info, { onListRoots: () => ({ roots: [] }), revision: 'legacy' }).use((call, next) => {
      if (call.method === 'tools/list') return { tools: [] };
      if (call.method === 'roots/list') throw new RpcError(-1, 'Not today');
      return next();
    });
    const connection = await client.connect(script);
    script.sent.length = 0;
    expect(await connection.listTools()).toEqual({ tools: [] });
    script.say({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    await quiet();
    expect(script.sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -1, message: 'Not today' } }]);
  });

  test('that gives nothing is told apart from a server that does', async () => {
    const connection = await new Client(info).use(() => undefined).connect(server);
    await expect(connection.listTools()).rejects.toThrow('A middleware gave no result for tools/list');
  });

  test('sees the error the caller gets', async () => {
    const errors: unknown[] = [];
    const client = new Client(info).use((_call, next) =>
      next().catch((error: unknown) => {
        errors.push(error);
        throw error;
      }),
    );
    const connection = await client.connect<unknown>(server);
    await expect(connection.callTool('nope')).rejects.toMatchObject({ code: -32602 });
    expect(errors).toMatchObject([{ code: -32602 }]);
  });

  test('that fails on a notification is told to onError, and the connection lives', async () => {
    const errors: Error[] = [];
    const script = new Script();
    const client = new Client(info, { profile: PRIOR, onError: (error) => errors.push(error) }).use(
      async (call, next) => {
        if (call.kind === 'notification') throw new Error(`no ${call.method}`);
        return next();
      },
    );
    const connection = await client.connect(script);
    script.say({ jsonrpc: '2.0', method: 'notifications/com.example/a' });
    connection.notify('notifications/com.example/b');
    await quiet();
    expect(errors.map(({ message }) => message)).toEqual([
      'no notifications/com.example/a',
      'no notifications/com.example/b',
    ]);
    expect(script.sent).toEqual([]);
    expect(connection.state).toBe('ready');
  });
});

describe('a handler of one’s own', () => {
  const played = async (client: Client): Promise<Script> => {
    const script = new Script().greets('2025-11-25');
    await client.connect(script, { revision: 'legacy' });
    script.sent.length = 0;
    return script;
  };

  test('answers requests of the server’s making', async () => {
    const client = new Client(info).setHandler('com.example/ask', (params, ctx) => {
      return { params, server: ctx.server?.name, aborted: ctx.signal.aborted };
    });
    const script = await played(client);
    script.say({ jsonrpc: '2.0', id: 'x', method: 'com.example/ask', params: { a: 1 } });
    script.say({ jsonrpc: '2.0', id: 'y', method: 'com.example/other' });
    await quiet();
    expect(script.sent).toEqual(
      [
        { jsonrpc: '2.0', id: 'y', error: { code: -32601, message: 'Method not found: com.example/other' } },
        { jsonrpc: '2.0', id: 'x', result: { params: { a: 1 }, server: 's', aborted: false } },
      ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });

  test('that gives nothing JSON can answer with is an error, not silence', async () => {
    const script = await played(new Client(info).setHandler('com.example/ask', () => undefined));
    script.say({ jsonrpc: '2.0', id: 1, method: 'com.example/ask' });
    await quiet();
    expect(script.sent).toMatchObject([{ id: 1, error: { code: -32603 } }]);
  });

  test('is not reached under a revision in which servers send no requests', async () => {
    const errors: Error[] = [];
    let called = false;
    const client = new Client(info, { profile: PRIOR, onError: (error) => errors.push(error) }).setHandler(
      'ping',
      () => {
        called = true;
        return {};
      },
    );
    const script = new Script();
    await client.connect(script);
    script.say({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await quiet();
    expect([called, script.sent, errors.length]).toEqual([false, [], 1]);
  });
});
