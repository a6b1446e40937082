import type { ElicitFormParams } from 'mcpp';
import { connect } from 'mcpp/client';
import { callToolAsTask, tasks } from 'mcpp/extensions/tasks';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { writeReport } from './report-tool.ts';

const make = () =>
  new McpServer({ name: 's', version: '1' }, { extensions: [tasks({ pollIntervalMs: 10 })] }).registerTool(
    'report',
    {
      inputSchema: z.object({ title: z.string(), fails: z.boolean().default(false) }),
      outputSchema: z.object({ title: z.string(), pages: z.int(), author: z.string(), reader: z.string() }),
      task: 'auto',
    },
    writeReport,
  );

/** The ways to call it, with the methods each takes. */
const WAYS = [
  { way: 'plain call, 2025-06-18', revision: '2025-06-18', asTask: false, has: false, methods: [] },
  { way: 'plain call, 2025-11-25', revision: '2025-11-25', asTask: false, has: true, methods: [] },
  { way: 'plain call, 2026-07-28', revision: '2026-07-28', asTask: false, has: false, methods: [] },
  { way: 'task, 2025-11-25', revision: '2025-11-25', asTask: true, has: true, methods: ['tasks/result'] },
  { way: 'task, 2026-07-28', revision: '2026-07-28', asTask: true, has: true, methods: ['tasks/get', 'tasks/update'] },
] as const;

const answers = (question: { readonly params?: unknown }) => {
  const name = (question.params as ElicitFormParams).message === 'Who writes?' ? 'Ann' : 'Bob';
  return { action: 'accept', content: { name } } as const;
};

describe.each(WAYS)('one handler, as a $way', ({ revision, asTask, has, methods }) => {
  const call = async (args: { title: string; fails?: boolean }) => {
    const client = await testClient<ReturnType<typeof make>>(make(), {
      revision,
      inputResponses: answers,
      ...(has ? { extensions: [tasks()] } : {}),
    });
    const result = asTask
      ? await (await callToolAsTask(client, 'report', args)).result()
      : await client.callTool('report', args);
    const sent = client.wire
      .filter(({ from }) => from === 'client')
      .map(({ message }) => message as { method?: string });
    await client.close();
    return { result, sent: new Set(sent.map(({ method }) => method).filter((method) => method?.startsWith('tasks/'))) };
  };

  test('gives the same result', async () => {
    const { result, sent } = await call({ title: 'Tea' });
    expect(result).toMatchObject({
      content: [{ type: 'text', text: '{"title":"Tea","pages":3,"author":"Ann","reader":"Bob"}' }],
      structuredContent: { title: 'Tea', pages: 3, author: 'Ann', reader: 'Bob' },
    });
    expect(methods.every((method) => sent.has(method))).toBe(true);
    expect(sent.size > 0).toBe(asTask);
  });

  test('fails in the same way', async () => {
    const { result } = await call({ title: 'Tea', fails: true });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'Out of paper' }], isError: true });
  });
});

test('callTool does not show whether there was a task', async () => {
  const { url, close } = await serveHttp(make(), { port: 0 });
  const onElicit = (params: object) => answers({ params });
  for (const extensions of [[], [tasks()]]) {
    const mcp = await connect<ReturnType<typeof make>>(url, { extensions, onElicit });
    const { structuredContent } = await mcp.callTool('report', { title: 'Tea' });
    expect(structuredContent).toEqual({ title: 'Tea', pages: 3, author: 'Ann', reader: 'Bob' });
    await mcp.close();
  }
  await close();
});
