/** The tools of the tasks extension. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type McpServer, RpcError, ToolError } from 'mcpp/server';

const object = (properties: Readonly<Record<string, object>>) =>
  ({ type: 'object', properties, required: Object.keys(properties) }) as const;

const confirmation = object({ confirm: { type: 'boolean' } });
const name = object({ name: { type: 'string' } });

/** Adds them. */
export function addTasks(server: McpServer): void {
  server
    .registerTool('greet', { description: 'Greets at once', inputSchema: name }, ({ name }) => `Hello, ${name}!`)
    .registerTool(
      'slow_compute',
      {
        description: 'Takes as many seconds as it is told',
        inputSchema: {
          type: 'object',
          properties: { seconds: { type: 'number' }, label: { type: 'string' } },
        } as const,
        task: 'auto',
      },
      async ({ seconds = 1, label = 'done' }, ctx) => {
        await sleep(seconds * 1000, undefined, { signal: ctx.signal });
        return `${label}: ${seconds} s`;
      },
    )
    .registerTool('failing_job', { description: 'Fails as a tool does', task: 'required' }, async (_, ctx) => {
      await sleep(1000, undefined, { signal: ctx.signal });
      throw new ToolError('The job failed');
    })
    .registerTool('protocol_error_job', { description: 'Fails as the protocol does', task: 'auto' }, async (_, ctx) => {
      await sleep(100, undefined, { signal: ctx.signal });
      throw RpcError.internal('The job broke');
    })
    .registerTool(
      'confirm_delete',
      {
        description: 'Asks before it deletes',
        inputSchema: object({ filename: { type: 'string' } }),
        task: 'auto',
      },
      async ({ filename }, ctx) => {
        const answer = await ctx.elicit(`Delete ${filename}?`, confirmation);
        return answer.action === 'accept' && answer.content.confirm ? `Deleted ${filename}` : `Kept ${filename}`;
      },
    )
    .registerTool('multi_input', { description: 'Asks two things at once', task: 'auto' }, async (_, ctx) => {
      const answers = await Promise.all([ctx.elicit('First?', confirmation), ctx.elicit('Second?', confirmation)]);
      return `Answered: ${answers.map(({ action }) => action).join(', ')}`;
    })
    .registerTool(
      'test_tool_with_task',
      { description: 'Asks first, and is a task then', task: 'auto', detach: 'manual' },
      async (_, ctx) => {
        const answer = await ctx.elicit('Who are you?', name);
        await ctx.detach();
        return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello, whoever you are!';
      },
    );
}
