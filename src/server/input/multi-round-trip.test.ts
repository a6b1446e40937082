import { inputRequired, McpServer } from 'mcpp/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { open } from '../../../test/wire.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A server whose prompt waits for an event by returning `inputRequired` without requests. */
function waiting(limits: { readonly handlerMs?: number } = {}): { server: McpServer; runs: () => number } {
  let runs = 0;
  const server = new McpServer({ name: 's', version: '1' }, { limits, onError: () => {} });
  server.registerPrompt('p', {}, () => {
    runs++;
    return inputRequired({ state: runs });
  });
  return { server, runs: () => runs };
}

test('a handler that waits with inputRequired runs again every 250 ms until its call is cancelled', async () => {
  const { server, runs } = waiting();
  const wire = await open(server, { revision: '2025-11-25' });
  void wire.call('prompts/get', { name: 'p' }, 7);
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs()).toBe(5);
  wire.notify('notifications/cancelled', { requestId: 7 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs()).toBe(5);
});

test('a handler that waits with inputRequired does not run again after limits.handlerMs', async () => {
  const { server, runs } = waiting({ handlerMs: 1000 });
  const wire = await open(server, { revision: '2025-11-25' });
  const call = wire.call('prompts/get', { name: 'p' });
  await vi.advanceTimersByTimeAsync(1000);
  expect((await call).error).toMatchObject({ code: -32603, message: 'The request took more than 1000 ms' });
  const atTimeout = runs();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs()).toBeLessThanOrEqual(atTimeout + 1);
});
