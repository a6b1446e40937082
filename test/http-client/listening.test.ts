/** Watching on 2026-07-28: one request that stays open, which can break without breaking anything else. */

import { connect } from 'mcpp/client';
import { afterEach, expect, test, vi } from 'vitest';
import { fakeClocks, pauses, realClocks } from './pauses.ts';
import { type Answers, closeAll, eventually, rawServer, stateless, type Visit } from './raw-server.ts';

afterEach(async () => {
  realClocks();
  await closeAll();
});

const tell = (visit: Visit, method: string, params: object = {}): void => {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': visit.message.id };
  visit.event({ data: { jsonrpc: '2.0', method, params: { ...params, _meta } } });
};

const LISTEN: Answers = {
  'subscriptions/listen': (visit) => {
    const { notifications } = visit.message.params ?? {};
    tell(visit, 'notifications/subscriptions/acknowledged', { notifications });
  },
  'tools/call': (visit) => visit.result({ resultType: 'complete', content: [] }),
};

test('changes are told on the stream of subscriptions/listen, and hanging up ends it', async () => {
  const server = await rawServer({ ...stateless, ...LISTEN });
  const mcp = await connect(server.url);
  const events: unknown[] = [];
  const stop = await mcp.watch('tools', (event) => events.push(event));
  const [listen] = server.to('subscriptions/listen');
  expect(listen?.headers).toMatchObject({ 'mcp-method': 'subscriptions/listen', 'mcp-protocol-version': '2026-07-28' });
  if (listen) tell(listen, 'notifications/tools/list_changed');
  await eventually(() => events.length === 1);
  expect(events).toEqual([{ type: 'tools' }]);
  await mcp.callTool('tool');
  await stop();
  await listen?.over;
  expect(server.to('notifications/cancelled')).toEqual([]);
  await mcp.close();
});

test('a stream that breaks is opened again, calls go on meanwhile, and everything is to be read anew', async () => {
  fakeClocks();
  const server = await rawServer({ ...stateless, ...LISTEN });
  const states: string[] = [];
  const mcp = await connect(server.url, { onStateChange: (state) => states.push(state) });
  const events: unknown[] = [];
  await mcp.watch('tools', (event) => events.push(event));
  server.to('subscriptions/listen')[0]?.response.destroy();
  await eventually(() => pauses() === 1);
  await mcp.callTool('tool');
  await vi.advanceTimersByTimeAsync(1000);
  await eventually(() => events.length === 1);
  expect(events).toEqual([{ type: 'tools', resync: true }]);
  expect(server.to('subscriptions/listen')).toHaveLength(2);
  expect(states).toEqual(['ready']);
  await mcp.close();
  await server.to('subscriptions/listen')[1]?.over;
  expect(vi.getTimerCount()).toBe(0);
});

test('a stream that is refused rejects the watch with what the server said', async () => {
  const server = await rawServer({
    ...stateless,
    'subscriptions/listen': (visit) => visit.status(500),
  });
  const mcp = await connect(server.url);
  await expect(mcp.watch('tools', () => {})).rejects.toMatchObject({ code: 'http-error', status: 500 });
  await mcp.close();
});
