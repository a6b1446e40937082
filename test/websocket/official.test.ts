/** The official SDK's client speaks to our server over its own WebSocket transport. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { McpServer } from 'mcpp/server';
import { serveWebSocket } from 'mcpp/websocket';
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';

afterEach(() => vi.unstubAllGlobals());

test('it lists, calls and is asked', async () => {
  const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
  const server = new McpServer({ name: 'hello', version: '1.0.0' }).registerTool('hello', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('Who are you?', form);
    return answer.action === 'accept' ? `Hello ${answer.content.name}!` : answer.action;
  });
  const listening = await serveWebSocket(server, { port: 0 });
  vi.stubGlobal('WebSocket', WebSocket);
  const client = new Client({ name: 'official', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new WebSocketClientTransport(new URL(listening.url)));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['hello']);
  const { content } = await client.callTool({ name: 'hello' });
  expect(content).toEqual([{ type: 'text', text: 'Hello Ada!' }]);
  await client.close();
  await listening.close();
});
