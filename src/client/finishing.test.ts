import { ConnectionError } from 'mcpp';
import {
  type ClientExtension,
  type ConnectOptions,
  connect,
  type ExtensionCall,
  type ExtensionConnection,
} from 'mcpp/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PRIOR, play, playStateful, programs, Script } from '../../test/script.ts';
import { quiet, unhandledDuring } from '../../test/wire.ts';

type Result = Record<string, unknown>;
type Finish = (result: Readonly<Result>, call: ExtensionCall, peer: ExtensionConnection) => Promise<Result>;

const LATER = { resultType: 'ticket', number: 7 };
const UNKNOWN = 'The answer to tools/call has a "resultType" this client does not know';

/** An extension whose servers hand out tickets in place of results. */
function tickets(finish?: Finish, resultType = 'ticket'): ClientExtension {
  return {
    id: 'com.example/tickets',
    resultTypes: { [resultType]: ['tools/call', 'resources/read'] },
    client: finish ? { resultTypes: { [resultType]: finish } } : {},
  };
}

const withTickets = (finish: Finish, options: ConnectOptions = {}): ConnectOptions => ({
  extensions: [tickets(finish)],
  ...options,
});

/** A finisher that waits until it is let go, and never listens to its signal. */
function stubborn(): { finish: Finish; calls: ExtensionCall[]; release: (result: Result) => void } {
  let release: (result: Result) => void = () => {};
  const calls: ExtensionCall[] = [];
  const finish: Finish = (_result, call) => {
    calls.push(call);
    return new Promise((resolve) => {
      release = resolve;
    });
  };
  return { finish, calls, release: (result) => release(result) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a result of another type', () => {
  test.each<[string, ConnectOptions]>([
    ['nobody knows', {}],
    ['nobody finishes', { extensions: [tickets()] }],
    ['is another one’s', { extensions: [tickets(async () => ({}), 'receipt')] }],
  ])('is refused if it is one that %s', async (_name, options) => {
    const { script, client } = await play(options);
    const call = client.callTool('t');
    script.reply(LATER);
    await expect(call).rejects.toMatchObject({ code: 'malformed', message: UNKNOWN });
    await client.close();
  });

  test('is refused from a method that has it not', async () => {
    const finish = vi.fn<Finish>();
    const { script, client } = await play(withTickets(finish));
    const call = client.getPrompt('p');
    script.reply(LATER);
    await expect(call).rejects.toThrow('The answer to prompts/get has a "resultType" this client does not know');
    expect(finish).not.toHaveBeenCalled();
    await client.close();
  });

  test('is finished by the extension, with everything it needs to know', async () => {
    const seen: unknown[] = [];
    const finish: Finish = async (result, { signal, ...call }, peer) => {
      seen.push(result, call, signal.aborted);
      return peer.request('tickets/redeem', { number: result['number'] });
    };
    const { script, client } = await play(withTickets(finish));
    const call = client.callTool('t', { a: 1 }, { timeout: 1000 });
    script.reply(LATER);
    await quiet();
    expect(seen).toEqual([
      LATER,
      {
        method: 'tools/call',
        params: { name: 't', arguments: { a: 1 } },
        options: { timeout: 1000 },
        label: 'tools/call "t"',
      },
      false,
    ]);
    expect(script.sent[1]).toMatchObject({ id: 2, method: 'tickets/redeem', params: { number: 7 } });
    script.reply({ content: [{ type: 'text', text: 'served' }] });
    expect(await call).toEqual({ content: [{ type: 'text', text: 'served' }] });
    await client.close();
  });

  test('becomes a result that is read and checked like any other', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    let given: unknown = { structuredContent: { n: 1 } };
    const { script, client } = await play(withTickets(async () => given as Result));
    const listing = client.listTools();
    script.reply({ tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema }] });
    await listing;
    const call = async (): Promise<unknown> => {
      const calling = client.callTool('t');
      script.reply(LATER);
      return calling;
    };
    // What a server may leave out is there, as ever.
    expect(await call()).toEqual({ content: [], structuredContent: { n: 1 } });
    given = { content: [], structuredContent: { n: 'one' } };
    await expect(call()).rejects.toThrow('does not follow its outputSchema: /n must be number');
    given = { content: 'text' };
    await expect(call()).rejects.toThrow('Malformed answer to tools/call: /result/content must be an array');
    given = 5;
    await expect(call()).rejects.toThrow('The response to tools/call has no "result" object');
    given = LATER;
    await expect(call()).rejects.toThrow(UNKNOWN);
    given = { resultType: 'input_required', requestState: 's' };
    await expect(call()).rejects.toMatchObject({ code: 'malformed', message: expect.stringContaining('too late') });
    await client.close();
  });

  test('fails as the extension fails', async () => {
    const { script, client } = await play(
      withTickets(() => {
        throw new RangeError('sold out');
      }),
    );
    const call = client.callTool('t');
    script.reply(LATER);
    await expect(call).rejects.toThrow(new RangeError('sold out'));
    await client.close();
  });

  test('is not kept, however long its result would be good', async () => {
    const contents = [{ uri: 'x:/a', text: 'a' }];
    const { script, client } = await play(
      withTickets(async () => ({ contents, ttlMs: 60_000, cacheScope: 'private' })),
    );
    for (const count of [1, 2]) {
      const reading = client.readResource('x:/a');
      expect(script.sent).toHaveLength(count);
      script.reply(LATER);
      expect(await reading).toMatchObject({ contents });
    }
    await client.close();
  });

  test('is finished after the questions before it', async () => {
    const { script, client } = await play(withTickets(async () => ({ content: [] }), { roots: [] }));
    const call = client.callTool('t');
    script.reply({ resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } });
    await quiet();
    expect(script.sent[1]?.params).toMatchObject({ inputResponses: { a: { roots: [] } } });
    script.reply(LATER);
    expect(await call).toEqual({ content: [] });
    await client.close();
  });

  test('is finished where a call is made step by step', async () => {
    const { script, client } = await play(withTickets(async () => ({ content: [] })));
    const starting = client.start('tools/call', { name: 't' });
    script.reply({ resultType: 'input_required', requestState: 's' });
    const step = await starting;
    if (step.done) throw new Error('it should wait');
    const resuming = client.resume(step.pending, {});
    script.reply(LATER);
    expect(await resuming).toEqual({ done: true, result: { content: [] } });
    await client.close();
  });

  test('is a task of 2025-11-25, which has no words for types', async () => {
    const finish = vi.fn<Finish>(async () => ({ content: [{ type: 'text', text: 'done' }] }));
    const revisions = ['2026-07-28'] as const;
    const { script, client } = await playStateful({ extensions: [{ ...tickets(finish, 'task'), revisions }] });
    const call = client.callTool('t');
    script.reply({ task: { taskId: 'x', status: 'working' } });
    expect(await call).toEqual({ content: [{ type: 'text', text: 'done' }] });
    expect(finish.mock.calls[0]?.[0]).toEqual({ task: { taskId: 'x', status: 'working' } });
    await client.close();

    const without = await playStateful();
    const refused = without.client.callTool('t');
    without.script.reply({ task: { taskId: 'x', status: 'working' } });
    await expect(refused).rejects.toThrow(UNKNOWN);
    await without.client.close();
  });
});

describe('finishing ends', () => {
  test('at once when the caller gives up, and the extension may still say so to the server', async () => {
    const finish: Finish = (result, { signal }, peer) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          void peer.request('tickets/return', { number: result['number'] });
        });
      });
    const abort = new AbortController();
    const { script, client } = await play(withTickets(finish));
    const call = client.callTool('t', {}, { signal: abort.signal });
    script.reply(LATER);
    await quiet();
    abort.abort('no time');
    await expect(call).rejects.toMatchObject({
      code: 'aborted',
      message: 'tools/call "t" was aborted by the caller',
      cause: 'no time',
    });
    expect(script.sent.map(({ method }) => method)).toEqual(['tools/call', 'tickets/return']);
    script.reply({});
    await client.close();
  });

  test('when the caller had given up before', async () => {
    const { finish, calls } = stubborn();
    const abort = new AbortController();
    const { script, client } = await play(withTickets(finish));
    const call = client.callTool('t', {}, { signal: abort.signal });
    script.reply(LATER);
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    await client.close();
  });

  test.each<[string, ConnectOptions, { maxTimeout?: number }]>([
    ['of the call', {}, { maxTimeout: 5000 }],
    ['of the connection', { maxTimeout: 5000 }, {}],
  ])('with the maximum %s, the time until the first answer included', async (_name, options, own) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const { finish, calls } = stubborn();
    const { script, client } = await play(withTickets(finish, { timeout: 4000, ...options }));
    const call = client.callTool('t', {}, own);
    const refused = expect(call).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('tools/call "t" timed out'),
    });
    await vi.advanceTimersByTimeAsync(2000);
    script.reply(LATER);
    await vi.advanceTimersByTimeAsync(2999);
    expect(calls[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await refused;
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    await client.close();
  });

  test('never by itself if there is no maximum', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const { finish, calls, release } = stubborn();
    const { script, client } = await play(withTickets(finish, { timeout: 1000 }));
    const call = client.callTool('t');
    script.reply(LATER);
    await vi.advanceTimersByTimeAsync(24 * 60 * 60_000);
    expect(calls[0]?.signal.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    release({ content: [] });
    expect(await call).toEqual({ content: [] });
    await client.close();
  });

  test('when the connection is closed', async () => {
    const { finish, calls } = stubborn();
    const { script, client } = await play(withTickets(finish));
    const call = client.callTool('t');
    script.reply(LATER);
    await quiet();
    await Promise.all([
      expect(call).rejects.toMatchObject({ code: 'closed', message: 'The connection was closed' }),
      client.close(),
    ]);
    expect(calls[0]?.signal.aborted).toBe(true);
  });

  test('when the server is lost for good', async () => {
    const { finish, calls } = stubborn();
    const { script, client } = await play(withTickets(finish));
    const call = client.callTool('t');
    script.reply(LATER);
    await quiet();
    script.connected = false;
    script.receiver?.onClose(new ConnectionError('closed', 'exit 1'));
    await expect(call).rejects.toMatchObject({ code: 'closed', message: 'exit 1' });
    expect(calls[0]?.signal.aborted).toBe(true);
  });

  test('without a rejection that nobody hears, if the extension fails after the caller gave up', async () => {
    const finish: Finish = (_result, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('too late')));
      });
    const unhandled = await unhandledDuring(async () => {
      const abort = new AbortController();
      const { script, client } = await play(withTickets(finish));
      const call = client.callTool('t', {}, { signal: abort.signal });
      script.reply(LATER);
      await quiet();
      abort.abort();
      await expect(call).rejects.toMatchObject({ code: 'aborted' });
      await client.close();
    });
    expect(unhandled).toEqual([]);
  });
});

test('many calls can be finished at the same time without being taken for a leak', async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error): void => void warnings.push(warning);
  process.on('warning', keep);
  const { finish, calls } = stubborn();
  const { script, client } = await play(withTickets(finish));
  const all = Array.from({ length: 20 }, () => client.callTool('t').catch(() => {}));
  for (const { id } of [...script.sent]) script.reply(LATER, id);
  await quiet();
  expect(calls).toHaveLength(20);
  await client.close();
  await Promise.all(all);
  process.off('warning', keep);
  expect(warnings).toEqual([]);
});

test('finishing goes on with a server that was started again; the call is not made again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const finish: Finish = async (_result, _call, peer) => {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    return peer.request('tickets/redeem');
  };
  const [first, second] = [new Script(), new Script()];
  const options = withTickets(finish, { profile: PRIOR, restart: true });
  const client = await connect(programs(first, second), options);
  const call = client.callTool('t', {}, { idempotent: true });
  first.reply(LATER);
  await vi.advanceTimersByTimeAsync(0);
  first.connected = false;
  first.receiver?.onClose(new ConnectionError('closed', 'exit 1'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(second.sent.map(({ method }) => method)).toEqual(['tickets/redeem']);
  second.reply({ content: [] });
  expect(await call).toEqual({ content: [] });
  await client.close();
});

test('an error of finishing is no loss of the call, even if it is the end of the conversation', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const finish: Finish = (_result, _call, peer) => peer.request('tickets/redeem');
  const [first, second] = [new Script(), new Script()];
  const client = await connect(programs(first, second), withTickets(finish, { profile: PRIOR, restart: true }));
  const call = client.callTool('t', {}, { idempotent: true });
  const refused = expect(call).rejects.toMatchObject({ code: 'closed', message: 'exit 1' });
  first.reply(LATER);
  await vi.advanceTimersByTimeAsync(0);
  first.connected = false;
  first.receiver?.onClose(new ConnectionError('closed', 'exit 1'));
  await vi.advanceTimersByTimeAsync(60_000);
  await refused;
  expect(second.sent).toEqual([]);
  await client.close();
});
