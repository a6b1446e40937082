/** Streams that end before their time: when they are asked for again, from where, and when not any more. */

import { type Connection, type ConnectOptions, connect } from 'mcpp/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeClocks, pauses, realClocks } from './pauses.ts';
import {
  type Answers,
  closeAll,
  eventually,
  type RawServer,
  rawServer,
  stateful,
  stateless,
  type Visit,
} from './raw-server.ts';

beforeEach(() => {
  fakeClocks();
});

afterEach(async () => {
  realClocks();
  await closeAll();
});

async function session(
  answers: Answers,
  options: ConnectOptions = {},
): Promise<{ server: RawServer; mcp: Connection }> {
  const server = await rawServer({ ...stateful(), ...answers });
  const mcp = await connect(server.url, options);
  // The stream that stands by itself, which is refused if there is nobody to answer it.
  await eventually(() => server.to('GET').length === 1);
  return { server, mcp };
}

const gets = (server: RawServer): number => server.to('GET').length;

/** Lets the answers that are on their way arrive, and the timers they start be there. */
async function settled(server: RawServer, count: number): Promise<void> {
  await eventually(() => gets(server) === count && server.to('GET').at(-1)?.response.writableEnded === true);
}

describe('a call whose stream ends without its answer', () => {
  test('goes on where it stopped, after exactly the time the server asked for', async () => {
    const { server, mcp } = await session({
      'tools/call': (visit) => {
        visit.event({ id: 'event-1', retry: 500 });
        visit.response.end();
      },
      GET: (visit) => {
        if (visit.headers['last-event-id'] === undefined) return visit.status(405);
        const id = server.to('tools/call')[0]?.message.id;
        visit.event({ id: 'event-2', data: { jsonrpc: '2.0', id, result: { content: [] } } });
      },
    });
    const call = mcp.callTool('slow', {}, { timeout: 60_000 });
    await eventually(() => pauses() === 1);
    await vi.advanceTimersByTimeAsync(499);
    expect(gets(server)).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await eventually(() => gets(server) === 2);
    expect(server.to('GET')[1]?.headers).toMatchObject({ 'last-event-id': 'event-1', 'mcp-session-id': 's1' });
    expect(await call).toEqual({ content: [] });
    await server.to('GET')[1]?.over;
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['retry: 0', 0],
    ['no retry', undefined],
  ])('waits a second if the server says %s', async (_what, retry) => {
    const { server, mcp } = await session({
      'tools/call': (visit) => {
        visit.event({ id: 'a', ...(retry === undefined ? {} : { retry }) });
        // The connection ends, and with it a response that is not complete.
        visit.response.socket?.end();
      },
    });
    const call = mcp.callTool('slow').catch((error: unknown) => error);
    await eventually(() => pauses() === 1);
    await vi.advanceTimersByTimeAsync(999);
    expect(gets(server)).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await eventually(() => gets(server) === 2);
    // 405: there is no such thing here.
    expect(await call).toMatchObject({ code: 'closed' });
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is given up after five tries that brought nothing, each later than the one before', async () => {
    const { server, mcp } = await session({
      'tools/call': (visit) => {
        visit.event({ id: 'a', retry: 0 });
        visit.response.end();
      },
      GET: (visit) => {
        if (visit.headers['last-event-id'] === undefined) return visit.status(405);
        visit.event({ id: 'a', retry: 0 });
        visit.response.end();
      },
    });
    const call = mcp.callTool('slow').catch((error: unknown) => error);
    const waits: number[] = [];
    for (let tries = 2; tries <= 6; tries++) {
      const since = Date.now();
      await eventually(() => pauses() === 1);
      while (pauses() === 1) await vi.advanceTimersByTimeAsync(1000);
      waits.push(Date.now() - since);
      await settled(server, tries);
    }
    expect(await call).toMatchObject({ code: 'closed', message: expect.stringContaining('broke off') });
    expect(waits).toEqual([1000, 1000, 2000, 4000, 8000]);
    await mcp.close();
  });

  test('is not given up while its place is taken (409): the old stream may not be over for the server', async () => {
    let isFree = false;
    const { server, mcp } = await session({
      'tools/call': (visit) => {
        visit.event({ id: 'a', retry: 0 });
        visit.response.end();
      },
      GET: (visit) => {
        if (visit.headers['last-event-id'] === undefined) return visit.status(405);
        if (!isFree) return visit.status(409);
        const id = server.to('tools/call')[0]?.message.id;
        visit.event({ id: 'b', data: { jsonrpc: '2.0', id, result: { content: [] } } });
      },
    });
    const call = mcp.callTool('slow', {}, { timeout: Number.POSITIVE_INFINITY });
    for (let tries = 2; tries <= 9; tries++) {
      await eventually(() => pauses() === 1);
      await vi.advanceTimersByTimeAsync(30_000);
      await settled(server, tries);
    }
    isFree = true;
    await eventually(() => pauses() === 1);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await call).toEqual({ content: [] });
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that brings something each time is asked for at the pace of the server', async () => {
    let events = 0;
    const { server, mcp } = await session({
      'tools/call': (visit) => {
        visit.event({ id: String(++events), retry: 2000 });
        visit.response.end();
      },
      GET: (visit) => {
        if (visit.headers['last-event-id'] === undefined) return visit.status(405);
        expect(visit.headers['last-event-id']).toBe(String(events));
        const id = server.to('tools/call')[0]?.message.id;
        const data = ++events === 10 ? { jsonrpc: '2.0', id, result: { content: [] } } : undefined;
        visit.event({ id: String(events), retry: 2000, data });
        visit.response.end();
      },
    });
    const call = mcp.callTool('slow');
    for (let tries = 2; tries <= 10; tries++) {
      await eventually(() => pauses() === 1);
      await vi.advanceTimersByTimeAsync(1999);
      await turn();
      expect(gets(server)).toBe(tries - 1);
      await vi.advanceTimersByTimeAsync(1);
      await settled(server, tries);
    }
    expect(await call).toEqual({ content: [] });
    await mcp.close();
  });

  test('is rejected at once if there is no event to go on from', async () => {
    const { mcp } = await session({
      'tools/call': (visit) => {
        visit.event({ data: '' });
        visit.response.end();
      },
      'prompts/get': (visit) => {
        visit.event({ id: 'a\u0007b' });
        visit.response.end();
      },
    });
    await expect(mcp.callTool('slow')).rejects.toMatchObject({ code: 'closed' });
    await expect(mcp.getPrompt('p')).rejects.toMatchObject({ code: 'closed' });
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is rejected at once on 2026-07-28, where streams have no ids', async () => {
    const server = await rawServer({
      ...stateless,
      'tools/call': (visit) => {
        visit.event({ id: 'a', retry: 1 });
        visit.response.end();
      },
    });
    const mcp = await connect(server.url);
    await expect(mcp.callTool('slow')).rejects.toMatchObject({ code: 'closed' });
    expect(gets(server)).toBe(0);
    await mcp.close();
  });

  test('does not go on when it is given up, nor when the connection is closed', async () => {
    const { server, mcp } = await session({
      'tools/call': (visit) => {
        visit.event({ id: 'a', retry: 5000 });
        visit.response.end();
      },
    });
    const giveUp = new AbortController();
    const first = mcp.callTool('slow', {}, { signal: giveUp.signal }).catch((error: unknown) => error);
    const second = mcp.callTool('slow').catch((error: unknown) => error);
    await eventually(() => pauses() === 2);
    giveUp.abort();
    expect(await first).toMatchObject({ code: 'aborted' });
    await eventually(() => pauses() === 1);
    await mcp.close();
    expect(await second).toMatchObject({ code: 'closed' });
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    await turn();
    expect(gets(server)).toBe(1);
  });

  test('is resumed with an id of any letters', async () => {
    const { server, mcp } = await session({
      'tools/call': (visit) => {
        visit.event({ id: 'größe', retry: 1 });
        visit.response.end();
      },
    });
    const call = mcp.callTool('slow').catch((error: unknown) => error);
    await eventually(() => pauses() === 1);
    await vi.advanceTimersByTimeAsync(1);
    await eventually(() => gets(server) === 2);
    const bytes = Buffer.from(String(server.to('GET')[1]?.headers['last-event-id']), 'latin1');
    expect(bytes.toString('utf8')).toBe('größe');
    await call;
    await mcp.close();
  });
});

describe('the stream that stands by itself', () => {
  const closing: Answers = {
    GET: (visit) => {
      visit.event({ id: 'n', retry: 0 });
    },
  };

  /** Ends the stream after it lived so long, and gives how long it took until it was asked for again. */
  async function untilAgain(server: RawServer, lived: number): Promise<number> {
    const count = gets(server);
    await eventually(() => server.to('GET').at(-1)?.response.headersSent === true);
    await turn();
    await vi.advanceTimersByTimeAsync(lived);
    server.to('GET').at(-1)?.response.end();
    await eventually(() => pauses() === 1);
    const since = Date.now();
    while (pauses() === 1) await vi.advanceTimersByTimeAsync(1000);
    const waited = Date.now() - since;
    await eventually(() => gets(server) === count + 1);
    return waited;
  }

  test('that ends every 30 seconds is asked for ever less often, up to every 30 seconds', async () => {
    const { server, mcp } = await session(closing);
    const waits: number[] = [];
    for (let turns = 0; turns < 8; turns++) waits.push(await untilAgain(server, 30_000));
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(server.to('GET')[1]?.headers['last-event-id']).toBe('n');
    // One that lasts is worth asking for at once.
    expect(await untilAgain(server, 60_000)).toBe(1000);
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([503, 409, 429])('that fails with %i five times is told of once, and tried on', async (status) => {
    const onError = vi.fn();
    let isUp = false;
    const GET = (visit: Visit): void => (isUp ? visit.event({ data: '' }) : visit.status(status));
    const { server, mcp } = await session({ GET }, { onError });
    const events: unknown[] = [];
    await mcp.watch('tools', (event) => events.push(event));
    for (let tries = 2; tries <= 5; tries++) {
      await eventually(() => pauses() === 1);
      await vi.advanceTimersByTimeAsync(30_000);
      await settled(server, tries);
    }
    await eventually(() => onError.mock.calls.length === 1);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'failed', cause: { status } });
    for (let tries = 6; tries <= 15; tries++) {
      await eventually(() => pauses() === 1);
      await vi.advanceTimersByTimeAsync(29_999);
      expect(gets(server)).toBe(tries - 1);
      await vi.advanceTimersByTimeAsync(1);
      await settled(server, tries);
    }
    isUp = true;
    await eventually(() => pauses() === 1);
    await vi.advanceTimersByTimeAsync(30_000);
    await eventually(() => events.length === 1);
    expect(events).toEqual([{ type: 'tools', resync: true }]);
    expect(onError).toHaveBeenCalledTimes(1);
    expect(mcp.state).toBe('ready');
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('without ids of events may have missed something: what is watched is to be read again', async () => {
    const { server, mcp } = await session({ GET: (visit) => visit.event({ data: '' }) });
    const events: unknown[] = [];
    await mcp.watch('tools', (event) => events.push(event));
    expect(await untilAgain(server, 0)).toBe(1000);
    await eventually(() => events.length === 1);
    expect(events).toEqual([{ type: 'tools', resync: true }]);
    await mcp.close();
  });

  test('may bring the answer to a call, which is then not waited for elsewhere', async () => {
    const { server, mcp } = await session({
      ...closing,
      'tools/call': (visit) => {
        visit.event({ id: 'a', retry: 60_000 });
        visit.response.end();
        server.to('GET')[0]?.event({ data: visit.answer({ content: [] }) });
      },
    });
    expect(await mcp.callTool('slow')).toEqual({ content: [] });
    await eventually(() => vi.getTimerCount() === 0);
    await mcp.close();
  });

  test('is not asked for again once the connection is closed', async () => {
    const { server, mcp } = await session(closing);
    server.to('GET')[0]?.response.end();
    await eventually(() => pauses() === 1);
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
    expect(gets(server)).toBe(1);
  });
});

/** Lets what is on its way over the network arrive. */
async function turn(): Promise<void> {
  let turns = 0;
  await eventually(() => ++turns > 20);
}
