/** Pages to open: asked for once, then waited for, within a call or over several. */

import { McpServer, type McpServerOptions } from 'mcpp/server';
import { testClient, type WireEntry } from 'mcpp/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { open, quiet, type Reply, type Wire } from './wire.ts';

const KEY_0 = 'elicitation/create#0';
const capabilities = { elicitation: { url: {} } };

let ready = false;
let polls = 0;
const build = (options: McpServerOptions = {}): McpServer<unknown> =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options })
    .registerTool('t', {}, async (_, ctx) => {
      const until = (): boolean => {
        polls++;
        return ready;
      };
      const { action } = await ctx.elicitUrl('Log in', 'https://example.com/login', { until });
      return action;
    })
    .registerTool('bad', {}, async (_, ctx) => (await ctx.elicitUrl('Log in', 'not a url')).action);

const textOf = (reply: Reply): unknown => (reply.result?.['content'] as { text: string }[] | undefined)?.[0]?.text;

function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  ready = false;
  polls = 0;
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a page to open under 2026-07-28', () => {
  /** The question, answered: what the second leg has to bring along. */
  async function accepted(wire: Wire): Promise<object> {
    const first = await wire.call('tools/call', { name: 't' });
    expect(first.result?.['inputRequests']).toEqual({
      [KEY_0]: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Log in', url: 'https://example.com/login' },
      },
    });
    return { requestState: first.result?.['requestState'], inputResponses: { [KEY_0]: { action: 'accept' } } };
  }

  /** Sends a leg, and comes back when it waits for the page. */
  async function leg(wire: Wire, carried: object): Promise<{ reply: Promise<Reply> }> {
    const before = polls;
    const reply = wire.call('tools/call', { name: 't', ...carried });
    // Opening a state takes as long as it takes.
    while (polls === before) await quiet();
    return { reply };
  }

  /** A leg that ends with a state alone. */
  async function waitedInVain(wire: Wire, carried: object): Promise<object> {
    const before = wire.received.length;
    const { reply } = await leg(wire, carried);
    await vi.advanceTimersByTimeAsync(19_500);
    expect(wire.received).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(2000);
    const { result } = await reply;
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    expect(result).not.toHaveProperty('inputRequests');
    return { requestState: result?.['requestState'] };
  }

  test('is waited for within the call, if it does not take long', async () => {
    fakeTime();
    const wire = await open(build(), { capabilities });
    const { reply } = await leg(wire, await accepted(wire));
    await vi.advanceTimersByTimeAsync(1000);
    ready = true;
    await vi.advanceTimersByTimeAsync(500);
    expect(textOf(await reply)).toBe('accept');
    expect([polls, vi.getTimerCount()]).toEqual([4, 0]);
  });

  test('that takes more than 20 seconds ends the call with a state alone', async () => {
    fakeTime();
    const wire = await open(build(), { capabilities });
    const carried = await waitedInVain(wire, await accepted(wire));
    ready = true;
    expect(textOf(await wire.call('tools/call', { name: 't', ...carried }))).toBe('accept');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may take any number of calls: only rounds that ask are counted', async () => {
    fakeTime();
    const wire = await open(build({ limits: { roundTrips: 1 } }), { capabilities });
    let carried = await accepted(wire);
    for (let i = 0; i < 3; i++) carried = await waitedInVain(wire, carried);
    ready = true;
    expect(textOf(await wire.call('tools/call', { name: 't', ...carried }))).toBe('accept');
  });

  test('is waited for by our client through more than ten rounds', async () => {
    fakeTime();
    const client = await testClient(build(), { inputResponses: [{ action: 'accept' }] });
    let result: unknown;
    // The clock runs faster here than the state is sealed.
    const forEver = { timeout: Number.POSITIVE_INFINITY, maxTimeout: Number.POSITIVE_INFINITY };
    const call = client.callTool('t', {}, forEver).then((done) => {
      result = done;
    });
    const isLeg = ({ message }: WireEntry): boolean => 'method' in message && message.method === 'tools/call';
    const legs = (): number => client.wire.filter(isLeg).length;
    while (result === undefined) {
      if (legs() > 13) ready = true;
      await quiet();
      await vi.advanceTimersByTimeAsync(500);
    }
    await call;
    expect(result).toMatchObject({ content: [{ text: 'accept' }] });
    expect(legs()).toBeGreaterThan(12);
  });
});

describe('a page to open under 2025-11-25', () => {
  const server = build();

  test('has an id, and its end is told with the same', async () => {
    fakeTime();
    const wire = await open(server, { revision: '2025-11-25', capabilities, answer: () => ({ action: 'accept' }) });
    const call = wire.call('tools/call', { name: 't' });
    const asked = await wire.until((one) => one.method === 'elicitation/create');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(wire.notices('notifications/elicitation/complete')).toEqual([]);
    ready = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(textOf(await call)).toBe('accept');
    const elicitationId = asked.params?.['elicitationId'];
    expect(typeof elicitationId).toBe('string');
    expect(wire.notices('notifications/elicitation/complete').map((one) => one.params)).toEqual([{ elicitationId }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is no longer waited for when the call is given up', async () => {
    fakeTime();
    const wire = await open(server, { revision: '2025-11-25', capabilities, answer: () => ({ action: 'accept' }) });
    void wire.call('tools/call', { name: 't' }, 1);
    await vi.advanceTimersByTimeAsync(600);
    wire.notify('notifications/cancelled', { requestId: 1 });
    await vi.advanceTimersByTimeAsync(600);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not waited for if the person says no', async () => {
    const wire = await open(server, { revision: '2025-11-25', capabilities, answer: () => ({ action: 'decline' }) });
    expect(textOf(await wire.call('tools/call', { name: 't' }))).toBe('decline');
  });

  test('needs a URL', async () => {
    const wire = await open(server, { capabilities });
    expect((await wire.call('tools/call', { name: 'bad' })).result).toMatchObject({ isError: true });
  });
});
