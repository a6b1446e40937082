import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, connect } from 'mcpp/client';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../docs/snippets.mjs';
import { eventually } from '../http-client/raw-server.ts';

const file = join(root, 'examples/extension/tickets.mjs');
const source = readFileSync(file, 'utf8');
const { tickets, ticketFor } = await import(file);

test('the example has no more than forty lines of code, and the guide shows all of them', () => {
  const lines = source.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('/'));
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(readFileSync(join(root, 'docs/guide/extensions.md'), 'utf8')).toContain(source);
});

const make = () =>
  new McpServer({ name: 's', version: '1' }, { extensions: [tickets] }).registerTool(
    'print',
    { inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const },
    ({ id }, ctx) => {
      const result = { content: [{ type: 'text' as const, text: `${id}, hurry: ${ctx.meta['com.example/hurry']}` }] };
      return ctx.can('extensions.com.example/tickets') ? ticketFor(id, result) : result;
    },
  );

describe.each(['in process', 'http'] as const)('the example, %s', (way) => {
  let close = async (): Promise<void> => {};
  let mcp: Connection;
  beforeAll(async () => {
    const server = make();
    const served = way === 'http' ? await serveHttp(server, { port: 0 }) : undefined;
    mcp = await connect(served?.url ?? server, { extensions: [tickets] });
    close = async () => {
      await mcp.close();
      await served?.close();
    };
  });
  afterAll(() => close());

  test('the ticket is redeemed on the way, and the caller sees the result', async () => {
    expect(await mcp.callTool('print', { id: `a-${way}` })).toMatchObject({
      content: [{ type: 'text', text: `a-${way}, hurry: false` }],
    });
  });

  test('the ticket itself is there for those who want it', async () => {
    const params = { name: 'print', arguments: { id: `b-${way}` } };
    expect(await mcp.requestRaw('tools/call', params)).toMatchObject({
      resultType: 'ticket',
      result: { ticketId: `b-${way}` },
    });
  });

  test('settings, metadata of tools and of results are told', async () => {
    expect(mcp.serverCapabilities.extensions).toEqual({ 'com.example/tickets': { colour: 'blue' } });
    expect((await mcp.listTools()).tools).toMatchObject([{ _meta: { 'com.example/ticketed': true } }]);
    expect(await mcp.request('tickets/redeem', { ticketId: `b-${way}` })).toMatchObject({
      _meta: { 'com.example/waiting': expect.any(Number) },
    });
  });

  test('whoever listens is told of the tickets it named', async () => {
    const told: unknown[] = [];
    const subscription = await mcp.listen({ ticketIds: ['mine'] }, (method, params) => {
      told.push([method, params['ticketId']]);
    });
    expect(subscription.accepted).toEqual({ ticketIds: ['mine'] });
    await mcp.callTool('print', { id: 'theirs' });
    await mcp.callTool('print', { id: 'mine' });
    await eventually(() => told.length > 0);
    expect(told).toEqual([['notifications/tickets', 'mine']]);
    subscription.close();
    await subscription.closed;
  });

  test('what the client says is heard', async () => {
    await mcp.callTool('print', { id: `lost-${way}` });
    mcp.notify('notifications/tickets/lost', { ticketId: `lost-${way}` });
    const isLost = () =>
      mcp.request('tickets/redeem', { ticketId: `lost-${way}` }).then(
        () => false,
        () => true,
      );
    while (!(await isLost()));
  });

  test('a ticket that is not there is an error', async () => {
    await expect(mcp.request('tickets/redeem', { ticketId: 'none' })).rejects.toMatchObject({
      code: -32602,
      message: 'There is no such ticket',
    });
  });
});

test('a client without the extension is served as if there were none', async () => {
  const mcp = await connect(make());
  expect(await mcp.callTool('print', { id: 'x' })).toMatchObject({ content: [{ text: 'x, hurry: undefined' }] });
  await expect(mcp.request('tickets/redeem', { ticketId: 'x' })).rejects.toMatchObject({ code: -32021 });
  await mcp.close();
});
