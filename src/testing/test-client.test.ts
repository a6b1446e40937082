import { McpServer } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { REVISIONS } from '../../test/wire.ts';

const form = z.object({ name: z.string() });
const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} })
  .registerTool('who', {}, (_, ctx) => `${ctx.auth?.subject} ${ctx.revision}`)
  .registerTool('ask', {}, async (_, ctx) => {
    const first = await ctx.elicit('First?', form);
    const second = await ctx.elicit('Second?', form);
    return JSON.stringify([first, second]);
  });

test.each(REVISIONS)('a client in one line, for any revision and any principal: %s', async (revision) => {
  const client = await testClient(server, { revision, principal: { subject: 'alice' } });
  expect(await client.callTool('who')).toMatchObject({ content: [{ text: `alice ${revision}` }] });
  await client.close();
});

test('the newest revision and nobody in particular, if nothing is said', async () => {
  const client = await testClient(server);
  expect(await client.callTool('who')).toMatchObject({ content: [{ text: 'undefined 2026-07-28' }] });
});

test('everything that went over the wire is there, in order', async () => {
  const client = await testClient(server, { revision: '2025-11-25' });
  await client.callTool('who');
  const methods = client.wire.map(({ from, message }) => [from, (message as { method?: string }).method]);
  expect(methods).toEqual([
    ['client', 'initialize'],
    ['server', undefined],
    ['client', 'notifications/initialized'],
    ['client', 'tools/call'],
    ['server', undefined],
  ]);
});

describe.each(REVISIONS)('scopes, %s', (revision) => {
  const scoped = new McpServer({ name: 's', version: '1' }).registerTool('write', { scopes: ['w'] }, () => 'written');

  test('are asked of a principal, as where it is served', async () => {
    const without = await testClient(scoped, { revision, principal: { subject: 'alice' } });
    await expect(without.callTool('write')).rejects.toMatchObject({ code: -32600, data: { requiredScopes: ['w'] } });
    const having = await testClient(scoped, { revision, principal: { subject: 'alice', scopes: ['w'] } });
    expect(await having.callTool('write')).toMatchObject({ content: [{ text: 'written' }] });
    await Promise.all([without.close(), having.close()]);
  });

  test('are not asked of whoever runs the test', async () => {
    const client = await testClient(scoped, { revision });
    expect(await client.callTool('write')).toMatchObject({ content: [{ text: 'written' }] });
    await client.close();
  });
});

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)('a script of answers, %s', (revision) => {
  test('is used in order; a function sees the question', async () => {
    const client = await testClient(server, {
      revision,
      inputResponses: [
        { action: 'accept', content: { name: 'x' } },
        ({ params }) => ({ action: 'accept', content: { name: (params as { message: string }).message } }),
      ],
    });
    expect(await client.callTool('ask')).toMatchObject({
      content: [
        {
          text: '[{"action":"accept","content":{"name":"x"}},{"action":"accept","content":{"name":"Second?"}}]',
        },
      ],
    });
  });

  test('that is too short fails the call, and does not hang', async () => {
    const client = await testClient(server, { revision, inputResponses: [{ action: 'decline' }] });
    const outcome = await client.callTool('ask').then(
      (result) => result.isError === true,
      () => true,
    );
    expect(outcome).toBe(true);
  });

  test('is what makes a client able to answer', async () => {
    const client = await testClient(server, { revision });
    await expect(client.callTool('ask')).rejects.toThrow(/"elicitation.form"/);
    const unable = await testClient(server, { revision, inputResponses: [], capabilities: {} });
    await expect(unable.callTool('ask')).rejects.toThrow(/"elicitation.form"/);
  });
});
