import { ConnectionError } from 'mcpp';
import { connect, type PendingCall, toolDigest } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { play, playStateful, Script } from '../../test/script.ts';
import { quiet, REVISIONS } from '../../test/wire.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a call that is answered by hand', () => {
  const server = new McpServer({ name: 's', version: '1' }, { keys: ['k'.repeat(32)] }).registerTool(
    'order',
    { inputSchema: z.object({ what: z.string() }) },
    async ({ what }, ctx) => {
      const size = await ctx.elicit('Which size?', z.object({ size: z.string() }), { key: 'size' });
      const { roots } = await ctx.listRoots();
      return `${what} ${size.action === 'accept' ? size.content.size : '-'} ${roots.length}`;
    },
  );
  const capabilities = { elicitation: { form: {} }, roots: {} };

  test('stops at each question, as JSON that another process can go on with', async () => {
    const first = await connect(server, { capabilities });
    const step = await first.start('tools/call', { name: 'order', arguments: { what: 'tea' } });
    if (step.done) throw new Error('it should wait');
    expect(step.pending).toMatchObject({
      method: 'tools/call',
      params: { name: 'order', arguments: { what: 'tea' } },
      questions: { size: { method: 'elicitation/create', params: { mode: 'form', message: 'Which size?' } } },
      state: expect.any(String),
    });
    const kept = JSON.parse(JSON.stringify(step.pending)) as PendingCall;
    await first.close();

    const second = await connect(server, { capabilities });
    const next = await second.resume(kept, { size: { action: 'accept', content: { size: 'L' } } });
    if (next.done) throw new Error('it should wait');
    const [key = ''] = Object.keys(next.pending.questions);
    const end = await second.resume(next.pending, { [key]: { roots: [] } });
    expect(end).toMatchObject({ done: true, result: { content: [{ text: 'tea L 0' }] } });
  });

  test('cannot go on without all the answers', async () => {
    const connection = await connect(server, { capabilities });
    const step = await connection.start('tools/call', { name: 'order', arguments: { what: 'tea' } });
    if (step.done) throw new Error('it should wait');
    await expect(connection.resume(step.pending, {})).rejects.toThrow('No answer to "size"');
  });

  test('is done at once where questions are live', async () => {
    const connection = await connect(server, {
      revision: '2025-11-25',
      onElicit: () => ({ action: 'decline' }),
      roots: [],
    });
    const step = await connection.start('tools/call', { name: 'order', arguments: { what: 'tea' } });
    expect(step).toMatchObject({ done: true, result: { content: [{ text: 'tea - 0' }] } });
  });

  test('sends only the state where nothing was asked', async () => {
    const { script, client } = await play();
    const starting = client.start('tools/call', { name: 't' });
    script.reply({ resultType: 'input_required', requestState: 's' });
    const step = await starting;
    if (step.done) throw new Error('it should wait');
    void client.resume(step.pending, {}).catch(() => {});
    expect(script.sent[1]?.params).toMatchObject({ name: 't', requestState: 's' });
    expect(script.sent[1]?.params).not.toHaveProperty('inputResponses');
    await client.close();
  });
});

describe('rounds', () => {
  const ask = { resultType: 'input_required', inputRequests: { x: { method: 'roots/list' } }, requestState: 's' };

  test('end with the call’s budget, the time it takes to answer included', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    let aborted = false;
    const { script, client } = await play({
      onListRoots: ({ signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
        }),
    });
    const call = client.callTool('t', {}, { maxTimeout: 5000 });
    const refused = expect(call).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(2000);
    script.reply(ask);
    await vi.advanceTimersByTimeAsync(3000);
    await refused;
    expect(aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may take longer than the idle timeout while a person thinks', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const { script, client } = await play({
      timeout: 1000,
      onListRoots: () => new Promise((resolve) => setTimeout(() => resolve({ roots: [] }), 60_000)),
    });
    const call = client.callTool('t');
    script.reply(ask);
    await vi.advanceTimersByTimeAsync(60_000);
    script.reply({ content: [] });
    expect(await call).toEqual({ content: [] });
  });

  test('end at once if the server is lost while a person thinks', async () => {
    const { script, client } = await play({ onListRoots: () => new Promise(() => {}) });
    const call = client.callTool('t');
    script.reply(ask);
    await quiet();
    script.receiver?.onClose(new ConnectionError('closed', 'exit 1'));
    await expect(call).rejects.toMatchObject({ code: 'closed', message: 'exit 1' });
  });

  test('that one handler cannot answer take the others with them, and the call is not repeated', async () => {
    let withdrawn = false;
    const { script, client } = await play({
      onListRoots: () => Promise.reject(new Error('no disk')),
      onElicit: (_params, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            withdrawn = true;
          });
        }),
    });
    const call = client.callTool('t');
    const form = { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } };
    script.reply({
      ...ask,
      inputRequests: { x: { method: 'roots/list' }, y: { method: 'elicitation/create', params: form } },
    });
    await expect(call).rejects.toThrow('no disk');
    expect([withdrawn, script.sent.length]).toEqual([true, 1]);
  });

  test('of more questions than a person could answer are refused', async () => {
    let asked = 0;
    const { script, client } = await play({
      onListRoots: () => {
        asked++;
        return { roots: [] };
      },
    });
    const call = client.callTool('t');
    const inputRequests = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, { method: 'roots/list' }]));
    script.reply({ resultType: 'input_required', inputRequests });
    await expect(call).rejects.toMatchObject({ code: 'malformed' });
    expect(asked).toBe(0);
  });

  test('that ask nothing and carry nothing would only run the tool again', async () => {
    const { script, client } = await play();
    const call = client.callTool('t');
    script.reply({ resultType: 'input_required', inputRequests: {} });
    await expect(call).rejects.toMatchObject({ code: 'malformed' });
    expect(script.sent).toHaveLength(1);
  });

  test('can be given up while a person thinks', async () => {
    const { script, client } = await play({ onListRoots: () => new Promise(() => {}) });
    const giveUp = new AbortController();
    const call = client.callTool('t', {}, { signal: giveUp.signal });
    script.reply(ask);
    await quiet();
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a call that needs a page to be visited first', () => {
  const page = { mode: 'url', message: 'Sign in', url: 'https://example.com/a', elicitationId: 'e1' };
  const required = { elicitations: [page] };

  test('asks for consent, waits until the page is done, and is repeated once', async () => {
    const asked: unknown[] = [];
    const { script, client } = await playStateful({
      onElicit: (params) => {
        asked.push(params);
        return { action: 'accept' };
      },
    });
    const call = client.callTool('t', { a: 1 });
    script.refuse(-32042, required);
    await quiet();
    expect([asked, script.sent.length]).toEqual([[page], 1]);
    script.say({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'other' } });
    await quiet();
    expect(script.sent).toHaveLength(1);
    script.say({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
    await quiet();
    expect(script.sent[1]).toMatchObject({ method: 'tools/call', params: { name: 't', arguments: { a: 1 } } });
    expect(script.sent[1]?.id).not.toBe(script.sent[0]?.id);
    script.refuse(-32042, required);
    await expect(call).rejects.toMatchObject({ code: -32042 });
    expect(asked).toHaveLength(1);
  });

  test('is repeated also if the page was done while consent was being asked', async () => {
    const { script, client } = await playStateful({
      onElicit: () => {
        script.say({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
        return { action: 'accept' };
      },
    });
    const call = client.callTool('t');
    script.refuse(-32042, required);
    await quiet();
    script.reply({ content: [] });
    expect(await call).toEqual({ content: [] });
  });

  test('is repeated after a while if the server never says that the page is done', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const { script, client } = await playStateful({ onElicit: () => ({ action: 'accept' }) });
    const call = client.callTool('t', {}, { timeout: 1000 });
    script.refuse(-32042, required);
    await vi.advanceTimersByTimeAsync(1000);
    script.reply({ content: [] });
    expect(await call).toEqual({ content: [] });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not wait longer than the call may take, nor ask for what nobody waits for', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const asked: string[] = [];
    const { script, client } = await playStateful({
      onElicit: async ({ message }) => {
        asked.push(message);
        await new Promise((resolve) => setTimeout(resolve, 100));
        return { action: 'accept' };
      },
    });
    const forEver = { timeout: Number.POSITIVE_INFINITY, maxTimeout: 300 };
    const waiting = client.callTool('t', {}, forEver);
    const over = expect(waiting).rejects.toMatchObject({ code: 'timeout' });
    script.refuse(-32042, required);
    await vi.advanceTimersByTimeAsync(300);
    await over;
    asked.length = 0;
    const giveUp = new AbortController();
    const call = client.callTool('t', {}, { signal: giveUp.signal });
    script.refuse(-32042, { elicitations: [page, { ...page, message: 'And then', elicitationId: 'e2' }] });
    await vi.advanceTimersByTimeAsync(50);
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toEqual(['Sign in']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['declined', { action: 'decline' }, required],
    ['without pages', { action: 'accept' }, {}],
    ['with pages that make no sense', { action: 'accept' }, { elicitations: [{ mode: 'form' }] }],
  ])('stays an error if it is %s', async (_what, answer, data) => {
    const { script, client } = await playStateful({ onElicit: () => answer as { action: 'accept' } });
    const call = client.callTool('t');
    script.refuse(-32042, data);
    await expect(call).rejects.toMatchObject({ name: 'RpcError', code: -32042 });
    expect(script.sent).toHaveLength(1);
  });

  test('stays an error on revisions that have no such thing', async () => {
    const { script, client } = await play({ onElicit: () => ({ action: 'accept' }) });
    const call = client.callTool('t');
    script.refuse(-32042, required);
    await expect(call).rejects.toMatchObject({ code: -32042 });
  });
});

describe('a result', () => {
  test.each([
    ['tools/list', {}, 'Malformed answer to tools/list: /result/tools must be an array'],
    ['prompts/get', { messages: 5 }, 'Malformed answer to prompts/get: /result/messages must be an array'],
    ['resources/read', { contents: null }, 'Malformed answer to resources/read: /result/contents must be an array'],
    ['completion/complete', {}, 'Malformed answer to completion/complete: /result/completion must be an object'],
    ['tools/call', { content: 'x' }, 'Malformed answer to tools/call: /result/content must be an array'],
    ['tools/call', { content: [null] }, 'Malformed answer to tools/call: /result/content/0 must be an object'],
    ['tools/call', { content: [], isError: 1 }, 'Malformed answer to tools/call: /result/isError must be a boolean'],
    ['prompts/get', { messages: [{}, 5] }, 'Malformed answer to prompts/get: /result/messages/1 must be an object'],
    [
      'completion/complete',
      { completion: { values: 5 } },
      'Malformed answer to completion/complete: /result/completion/values must be an array',
    ],
  ])('of %s without what it cannot be without is malformed', async (method, result, message) => {
    const { script, client } = await play();
    const call = client.request(method);
    script.reply(result);
    await expect(call).rejects.toMatchObject({ code: 'malformed', message });
  });

  test('of a tool may leave its content out', async () => {
    const { script, client } = await play();
    const call = client.callTool('t');
    script.reply({ structuredContent: { a: 1 }, 'com.example/x': 2 });
    expect(await call).toEqual({ content: [], structuredContent: { a: 1 }, 'com.example/x': 2 });
  });

  test('that breaks the tool’s own schema is refused, and an error of the tool’s is not checked', async () => {
    const { script, client } = await play();
    const listing = client.listTools();
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    script.reply({ tools: [{ name: 'add', inputSchema: { type: 'object' }, outputSchema }] });
    await listing;
    const wrong = client.callTool('add');
    script.reply({ content: [], structuredContent: { sum: '3' } });
    await expect(wrong).rejects.toMatchObject({ code: 'malformed', message: expect.stringContaining('/sum') });
    const failed = client.callTool('add');
    script.reply({ content: [], structuredContent: { why: 'x' }, isError: true });
    expect(await failed).toEqual({ content: [], structuredContent: { why: 'x' }, isError: true });
  });
});

describe('a tool that is not what it was', () => {
  const tool = { name: 'pay', description: 'Pays', inputSchema: { type: 'object' } };

  test('and whose change was refused is not called, whichever way', async () => {
    const { script, client } = await play({ onToolChanged: () => false });
    for (const description of ['Pays', 'Pays somebody else']) {
      const listing = client.listTools({ fresh: true });
      script.reply({ tools: [{ ...tool, description }] });
      await listing;
    }
    const sent = script.sent.length;
    const refused = { code: 'refused', message: 'The definition of tool "pay" changed and was refused' };
    await expect(client.callTool('pay')).rejects.toMatchObject(refused);
    await expect(client.request('tools/call', { name: 'pay' })).rejects.toMatchObject(refused);
    await expect(client.start('tools/call', { name: 'pay' })).rejects.toMatchObject(refused);
    expect(script.sent).toHaveLength(sent);
  });

  test('is looked at before it is called, if its digest was kept', async () => {
    const pinnedTools = { pay: await toolDigest(tool) };
    const seen: string[] = [];
    const { script, client } = await play({ pinnedTools, onToolChanged: ({ name }) => seen.push(name) < 0 });
    const call = client.callTool('pay');
    const other = client.callTool('free');
    const refused = expect(call).rejects.toMatchObject({ code: 'refused' });
    expect(script.sent.map(({ method }) => method)).toEqual(['tools/list', 'tools/call']);
    script.reply({ tools: [{ ...tool, description: 'Pays somebody else' }] }, script.sent[0]?.id);
    script.reply({ content: [] });
    await refused;
    await other;
    expect(seen).toEqual(['pay']);
  });

  test('and is not listed any more is not called either, if its digest was kept', async () => {
    const { script, client } = await play({ pinnedTools: { pay: await toolDigest(tool) } });
    const call = client.callTool('pay');
    script.reply({ tools: [] });
    await expect(call).rejects.toMatchObject({
      code: 'refused',
      message: 'The pinned tool "pay" is not listed any more',
    });
    expect(script.sent.map(({ method }) => method)).toEqual(['tools/list']);
  });
});

describe('the cache', () => {
  test('answers while the server’s answer is good, until a change is told or somebody wants it fresh', async () => {
    const { script, client } = await play();
    const list = async (fresh = false): Promise<number> => {
      const before = script.sent.length;
      const listing = client.listTools({ fresh });
      if (script.sent.length > before) script.reply({ tools: [], ttlMs: 60_000, cacheScope: 'private' });
      await listing;
      return script.sent.length - before;
    };
    expect([await list(), await list(), await list(true), await list()]).toEqual([1, 0, 1, 0]);
    script.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    expect([await list(), await list()]).toEqual([1, 0]);
  });

  test('can be turned off', async () => {
    const { script, client } = await play({ cache: false });
    for (let i = 0; i < 2; i++) {
      const reading = client.readResource('test://a');
      script.reply({ contents: [], ttlMs: 60_000, cacheScope: 'public' });
      await reading;
    }
    expect(script.sent).toHaveLength(2);
  });

  test('does not keep what was answered after questions', async () => {
    const { script, client } = await play({ roots: [] });
    for (let i = 0; i < 2; i++) {
      const reading = client.readResource('test://a');
      script.reply({ resultType: 'input_required', inputRequests: { x: { method: 'roots/list' } } });
      await quiet();
      script.reply({ contents: [], ttlMs: 60_000, cacheScope: 'public' });
      await reading;
    }
    expect(script.sent).toHaveLength(4);
  });
});

test('the maximum of a call is for the whole list, however many pages it has', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { script, client } = await play();
  let page = 0;
  script.onSend = ({ id }) => {
    setTimeout(() => script.reply({ tools: [], nextCursor: String(page++) }, id), 100);
  };
  const refused = expect(client.listTools({ maxTimeout: 1000 })).rejects.toMatchObject({ code: 'timeout' });
  await vi.advanceTimersByTimeAsync(1000);
  await refused;
});

describe('small things', () => {
  test.each(REVISIONS)('ping works on every revision: %s', async (revision) => {
    const connection = await connect(new McpServer({ name: 's', version: '1' }), { revision });
    await expect(connection.ping()).resolves.toBeUndefined();
    await connection.close();
    await expect(connection.ping()).rejects.toMatchObject({ code: 'closed' });
  });

  test.each(REVISIONS)('trace context goes along with a call: %s', async (revision) => {
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, (_, ctx) => ({ trace: ctx.trace }));
    const connection = await connect(server, { revision });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const result = await connection.callTool('t', {}, { meta: { traceparent } });
    expect(JSON.stringify(result)).toContain(traceparent);
  });

  test.each(REVISIONS)('the log level can be changed: %s', async (revision) => {
    const logged: unknown[] = [];
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, (_, ctx) => {
      ctx.log.debug('fine');
    });
    const connection = await connect(server, { revision, logLevel: 'error', onLog: ({ data }) => logged.push(data) });
    await connection.callTool('t');
    expect(logged).toEqual([]);
    await connection.setLogLevel('debug');
    await connection.callTool('t');
    expect(logged).toEqual(['fine']);
  });

  test('a server without logging is not asked to log', async () => {
    const { script } = await playStateful({ logLevel: 'info' });
    expect(script.sent).toEqual([]);
  });

  test.each(REVISIONS)('roots can be changed, and sessions are told: %s', async (revision) => {
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, async (_, ctx) => {
      return (await ctx.listRoots()).roots.map(({ uri }) => uri).join();
    });
    const connection = await connect(server, { revision, roots: [{ uri: 'file:///a' }] });
    expect(await connection.callTool('t')).toMatchObject({ content: [{ text: 'file:///a' }] });
    connection.setRoots([{ uri: 'file:///b' }]);
    expect(await connection.callTool('t')).toMatchObject({ content: [{ text: 'file:///b' }] });
  });

  test('roots cannot be changed by a client that has none', async () => {
    const { client } = await play();
    expect(() => client.setRoots([])).toThrow(TypeError);
  });

  test('a list of many pages comes one by one, the empty string being a cursor', async () => {
    const script = new Script();
    script.onSend = ({ id, params }) => {
      const cursor = params?.['cursor'];
      const page = cursor === undefined ? ['a', ''] : cursor === '' ? ['b', 'x'] : ['c', undefined];
      queueMicrotask(() => script.reply({ prompts: [{ name: page[0] }], nextCursor: page[1] }, id));
    };
    const client = await connect(script, { profile: { revision: '2026-07-28', capabilities: {}, at: 0 } });
    const names: string[] = [];
    for await (const { name } of client.prompts()) names.push(name);
    expect(names).toEqual(['a', 'b', 'c']);
    expect(await client.listPrompts()).toEqual({ prompts: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
  });

  test('is closed by `await using`', async () => {
    const { client } = await play();
    await client[Symbol.asyncDispose]();
    expect(client.state).toBe('closed');
  });
});
