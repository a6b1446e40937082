import { Client, type ClientExtension, type ConnectOptions, connect } from 'mcpp/client';
import { describe, expect, test, vi } from 'vitest';
import { PRIOR, play, playStateful, Script } from '../../test/script.ts';
import { quiet } from '../../test/wire.ts';

const tickets: ClientExtension = {
  id: 'com.example/tickets',
  resultTypes: { ticket: ['tools/call'] },
  client: { resultTypes: { ticket: async () => ({ content: [] }) } },
};
const LATER = { resultType: 'ticket', number: 7 };
const WITH: ConnectOptions = { extensions: [tickets] };

describe('an outcome', () => {
  test('of an extension’s type is given as it came', async () => {
    const { script, client } = await play(WITH);
    const asking = client.requestRaw('tools/call', { name: 't' });
    expect(script.sent[0]).toMatchObject({ method: 'tools/call', params: { name: 't' } });
    script.reply(LATER);
    expect(await asking).toEqual({ resultType: 'ticket', result: LATER });
    await client.close();
  });

  test('that is complete is read and checked as ever, after the questions before it', async () => {
    const { script, client } = await play({ ...WITH, roots: [] });
    const asking = client.requestRaw('tools/call', { name: 't' });
    script.reply({ resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } });
    await quiet();
    script.reply({ resultType: 'complete', structuredContent: 5 });
    expect(await asking).toEqual({
      resultType: 'complete',
      result: { resultType: 'complete', structuredContent: 5, content: [] },
    });
    const wrong = client.requestRaw('tools/call', { name: 't' });
    script.reply({ content: 5 });
    await expect(wrong).rejects.toThrow('/result/content must be an array');
    await client.close();
  });

  test('of a type nobody knows is malformed', async () => {
    const { script, client } = await play();
    const asking = client.requestRaw('tools/call', { name: 't' });
    script.reply(LATER);
    await expect(asking).rejects.toMatchObject({
      code: 'malformed',
      message: 'The answer to tools/call has a "resultType" this client does not know',
    });
    await client.close();
  });

  test('passes middleware as a result, which may be replaced', async () => {
    const seen: unknown[] = [];
    const client = new Client({ name: 'c', version: '1' }, { profile: PRIOR, ...WITH }).use(
      async ({ method }, next) => {
        if (method === 'prompts/get') return { messages: [] };
        const result = await next();
        seen.push(result);
        return result;
      },
    );
    const script = new Script();
    const connection = await client.connect(script);
    const asking = connection.requestRaw('tools/call', { name: 't' });
    await quiet();
    script.reply(LATER);
    expect(await asking).toEqual({ resultType: 'ticket', result: LATER });
    expect(seen).toEqual([LATER]);
    expect(await connection.requestRaw('prompts/get', { name: 'p' })).toEqual({
      resultType: 'complete',
      result: { messages: [] },
    });
    await connection.close();
  });
});

describe('what is accepted', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const tools = [{ name: 't', inputSchema: { type: 'object' }, outputSchema }];

  test('is checked against the tool’s output schema', async () => {
    const { script, client } = await play();
    const listing = client.listTools();
    script.reply({ tools });
    await listing;
    const accept = (structuredContent: unknown): Promise<unknown> =>
      client.accept('tools/call', { name: 't' }, { content: [], structuredContent });
    expect(await accept({ n: 1 })).toEqual({ content: [], structuredContent: { n: 1 } });
    await expect(accept({ n: '1' })).rejects.toThrow('does not follow its outputSchema: /n must be number');
    await expect(client.accept('tools/call', { name: 't' }, 'text')).rejects.toMatchObject({ code: 'malformed' });
    expect(script.sent).toHaveLength(1);
    await client.close();
  });

  test('is read in the words of the revision that is spoken', async () => {
    const { client } = await playStateful({}, '2025-06-18');
    const wrapped = { content: [], structuredContent: { result: 5 }, _meta: { 'mcpp/wrappedResult': true } };
    expect(await client.accept('tools/call', { name: 't' }, wrapped)).toEqual({ content: [], structuredContent: 5 });
    await client.close();
  });
});

describe('an answer', () => {
  const roots = [{ uri: 'file:///a' }];

  test.each(['2025-11-25', '2026-07-28'])('is given by the same handlers as ever in %s', async (revision) => {
    const seen: string[] = [];
    const options = { profile: PRIOR, revision: revision as '2025-11-25', roots };
    const client = new Client({ name: 'c', version: '1' }, options).use(({ direction, method }, next) => {
      seen.push(`${direction} ${method}`);
      return next();
    });
    const connection = await client.connect(new Script().greets(revision));
    expect(await connection.respondToInput({ method: 'roots/list' })).toEqual({ roots });
    expect(seen).toEqual(['in roots/list']);
    await connection.close();
  });

  test('is not there for what was not declared', async () => {
    const { client } = await play();
    const params = { mode: 'form', message: 'Size?', requestedSchema: { type: 'object', properties: {} } } as const;
    await expect(client.respondToInput({ method: 'elicitation/create', params })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('elicitation/create: This client did not declare the capability "elicitation'),
    });
    await client.close();
  });

  test('is not waited for when the caller gives up, or the connection is closed', async () => {
    const signals: AbortSignal[] = [];
    const onListRoots = vi.fn(({ signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    });
    const { client } = await play({ onListRoots });
    const abort = new AbortController();
    const [given, other] = [
      client.respondToInput({ method: 'roots/list' }, abort),
      client.respondToInput({ method: 'roots/list' }),
    ];
    await quiet();
    abort.abort();
    await expect(given).rejects.toMatchObject({ code: 'aborted', message: 'roots/list was aborted by the caller' });
    await expect(client.respondToInput({ method: 'roots/list' }, abort)).rejects.toMatchObject({ code: 'aborted' });
    await Promise.all([expect(other).rejects.toMatchObject({ code: 'closed' }), client.close()]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    await expect(client.respondToInput({ method: 'roots/list' })).rejects.toMatchObject({ code: 'closed' });
  });
});

test('the connection itself is what extensions get to see of it', async () => {
  const seen: unknown[] = [];
  const extension: ClientExtension = {
    id: 'com.example/peek',
    client: {
      notifications: {
        'notifications/peek': (_params, peer) => seen.push(peer.revision, peer.serverCapabilities),
      },
    },
  };
  const capabilities = { extensions: { 'com.example/peek': {} } };
  const script = new Script();
  const client = await connect(script, { profile: { ...PRIOR, capabilities }, extensions: [extension] });
  script.say({ jsonrpc: '2.0', method: 'notifications/peek' });
  expect(seen).toEqual([client.revision, client.serverCapabilities]);
  expect(seen).toEqual(['2026-07-28', capabilities]);
  await client.close();
});
