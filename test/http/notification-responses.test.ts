/** A notification over HTTP gets 202 without a body, whatever its handler does. */

import { fetchHandler } from 'mcpp/fetch';
import { McpServer } from 'mcpp/server';
import { expect, test } from 'vitest';
import { claim } from '../wire.ts';

test('a notification handler that logs opens no event stream', async () => {
  const logged: string[] = [];
  const server = new McpServer({ name: 's', version: '1' }).setHandler('notifications/custom', (_params, ctx) => {
    ctx.log.info('handled');
    logged.push(ctx.method);
  });
  const handle = fetchHandler(server, { hosts: 'any' });
  const response = await handle(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'notifications/custom',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/custom',
        params: { _meta: claim({}, { 'io.modelcontextprotocol/logLevel': 'debug' }) },
      }),
    }),
  );
  expect([response.status, await response.text(), logged]).toEqual([202, '', ['notifications/custom']]);
});
