/** 429 and 503 with Retry-After: waited for where it does no harm and is not too late. */

import { type ConnectOptions, connect } from 'mcpp/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeClocks, pauses, realClocks } from './pauses.ts';
import { type Answers, closeAll, eventually, type RawServer, rawServer, stateless, type Visit } from './raw-server.ts';

beforeEach(() => {
  fakeClocks();
});

afterEach(async () => {
  realClocks();
  await closeAll();
});

/** Refuses each request so many times, and then answers it. */
function busy(times: number, status: number, retryAfter: string | undefined): (visit: Visit) => void {
  let left = times;
  return (visit) => {
    if (left-- > 0) visit.status(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    else visit.result({ resultType: 'complete', content: [], contents: [], tools: [TOOL] });
  };
}

const TOOL = { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
const count = (server: RawServer, method: string): number => server.to(method).length;

async function connected(answers: Answers, options: ConnectOptions = {}) {
  const server = await rawServer({ ...stateless, ...answers });
  return { server, mcp: await connect(server.url, options) };
}

/** Waits until there is a pause before the next try, and lets so much of it pass. */
async function wait(milliseconds: number): Promise<void> {
  await eventually(() => pauses() === 1);
  await vi.advanceTimersByTimeAsync(milliseconds);
}

test.each([429, 503])('%i to a method that only reads is waited for', async (status) => {
  const { server, mcp } = await connected({ 'resources/read': busy(1, status, '7') });
  const reading = mcp.readResource('file:///a');
  await wait(6999);
  expect(count(server, 'resources/read')).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await reading).toMatchObject({ contents: [] });
  // Another try is another request.
  expect(new Set(server.to('resources/read').map(({ message }) => message.id)).size).toBe(2);
  await mcp.close();
});

test('a date says when, too', async () => {
  const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 5000).toUTCString();
  const { mcp } = await connected({ 'resources/read': busy(1, 503, date) });
  const reading = mcp.readResource('file:///a');
  await wait(6000);
  await reading;
  await mcp.close();
});

test('a tool is called again only if it says that this does no harm, or the caller does', async () => {
  const { server, mcp } = await connected({
    'tools/list': busy(0, 200, undefined),
    'tools/call': (visit) => visit.status(503, { 'retry-after': '1' }),
  });
  const refused = { code: 'http-error', status: 503, retryAfterMs: 1000 };
  await expect(mcp.callTool('pay')).rejects.toMatchObject(refused);
  await mcp.listTools();
  await expect(mcp.callTool('look', {}, { idempotent: false })).rejects.toMatchObject(refused);
  expect(count(server, 'tools/call')).toBe(2);
  const hinted = mcp.callTool('look').catch(() => {});
  await wait(1000);
  await eventually(() => count(server, 'tools/call') === 4);
  await mcp.close();
  await hinted;
});

test('an answer that would come too late is not waited for, so that the status is seen', async () => {
  const { server, mcp } = await connected({ 'resources/read': busy(99, 429, '60') });
  const refused = { code: 'http-error', status: 429, retryAfterMs: 60_000 };
  await expect(mcp.readResource('file:///a', { timeout: 30_000 })).rejects.toMatchObject(refused);
  await expect(mcp.readResource('file:///a', { maxTimeout: 30_000 })).rejects.toMatchObject(refused);
  expect(count(server, 'resources/read')).toBe(2);
  await mcp.close();
});

test('without Retry-After, or with one that says nothing, it is an error', async () => {
  const { mcp } = await connected({ 'resources/read': busy(1, 503, undefined), 'prompts/get': busy(1, 429, 'soon') });
  await expect(mcp.readResource('file:///a')).rejects.toMatchObject({ status: 503, retryAfterMs: undefined });
  await expect(mcp.getPrompt('p')).rejects.toMatchObject({ status: 429, retryAfterMs: undefined });
  await mcp.close();
});

test('"at once", again and again, becomes ever longer', async () => {
  const { server, mcp } = await connected({ 'resources/read': busy(4, 503, '0') });
  const reading = mcp.readResource('file:///a');
  for (const [tries, pause] of [1000, 2000, 4000, 8000].entries()) {
    await wait(pause - 1);
    expect(count(server, 'resources/read')).toBe(tries + 1);
    await vi.advanceTimersByTimeAsync(1);
    await eventually(() => count(server, 'resources/read') === tries + 2);
  }
  await reading;
  await mcp.close();
});

test('waiting ends when the call is given up, or the connection is closed', async () => {
  const { mcp } = await connected({ 'resources/read': busy(99, 503, '40') });
  const giveUp = new AbortController();
  const first = mcp.readResource('file:///a', { signal: giveUp.signal }).catch((error: unknown) => error);
  await eventually(() => pauses() === 1);
  giveUp.abort();
  expect(await first).toMatchObject({ code: 'aborted' });
  const second = mcp.readResource('file:///a').catch((error: unknown) => error);
  await eventually(() => pauses() === 1);
  await mcp.close();
  expect(await second).toMatchObject({ code: 'closed' });
  expect(vi.getTimerCount()).toBe(0);
});

test('a server that is starting is waited for when connecting, within the time for that', async () => {
  const { 'server/discover': discover } = stateless;
  let isUp = false;
  const server = await rawServer({
    'server/discover': (visit) => (isUp ? discover?.(visit) : visit.status(503, { 'retry-after': '20' })),
  });
  await expect(connect(server.url, { connectTimeout: 10_000 })).rejects.toMatchObject({ status: 503 });
  const connecting = connect(server.url, { connectTimeout: 60_000 });
  await eventually(() => pauses() === 1);
  isUp = true;
  await vi.advanceTimersByTimeAsync(20_000);
  await (await connecting).close();
  expect(count(server, 'server/discover')).toBe(3);
});
