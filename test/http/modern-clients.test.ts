/** What clients of 2026-07-28 are told of what cannot be read, whatever else the endpoint serves. */

import type { McpServerOptions } from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { FACES, post } from './faces.ts';
import { CLAIM, notification, POST } from './messages.ts';
import { makeStage } from './stage.ts';

const MODERN = { 'mcp-protocol-version': '2026-07-28' };
const ONLY: McpServerOptions = { revisions: ['2026-07-28'] };
const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: CLAIM } };

describe.each(FACES)('through $name', ({ open }) => {
  test.each([
    ['with sessions', {}, {}],
    ['with sessions, and one named', {}, { 'mcp-session-id': 'none' }],
    ['without sessions', { sessions: false }, {}],
  ])('text that is no JSON is -32700, a batch is -32600: %s', async (_, options, headers) => {
    const reached = await open(makeStage().server, options);
    const garbage = await reached.send({ headers: { ...POST, ...MODERN, ...headers }, body: 'not json' });
    expect([garbage.status, await garbage.json()]).toMatchObject([400, { error: { code: -32700 } }]);
    for (const batch of [[], [request]]) {
      const answer = await post(reached, batch, { ...MODERN, ...headers });
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32600 } }]);
    }
    await reached.close();
  });

  test('where only that revision is served, a batch is -32600 and a notification that does not name it is taken', async () => {
    const reached = await open(makeStage(ONLY).server);
    const batch = await post(reached, [request]);
    expect([batch.status, await batch.json()]).toMatchObject([400, { error: { code: -32600 } }]);
    expect((await post(reached, notification('notifications/initialized'))).status).toBe(202);
    await reached.close();
  });
});
