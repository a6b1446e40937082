/** Tools that run as tasks, by this package. */

import { tasks } from '../../dist/entries/extensions/tasks.js';
import { McpServer, RpcError, ToolError } from '../../dist/entries/server.js';
import { release, wait, waited, waiting } from './waits.mjs';

const key = { inputSchema: { type: 'object', properties: { key: { type: 'string' } } } };
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const SUM = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
const QUESTION = { messages: [{ role: 'user', content: { type: 'text', text: 'Say something' } }], maxTokens: 10 };

async function nameOf(ctx) {
  const answer = await ctx.elicit('What is your name?', NAME);
  return answer.content.name;
}

async function wordOf(ctx) {
  const { content } = await ctx.sample(QUESTION);
  return content.text;
}

/** The server. */
export function makeServer() {
  const server = new McpServer({ name: 'mcpp', version: '1.0.0' }, { extensions: [tasks({ pollIntervalMs: 50 })] });

  server.registerTool('quick', {}, () => 'Done');
  server.registerTool('add', { task: 'auto', outputSchema: SUM }, () => ({ sum: 5 }));
  server.registerTool('long', { task: 'required' }, () => 'Done at last');
  server.registerTool('ask', { task: 'auto' }, async (_args, ctx) => {
    const [name, word] = await Promise.all([nameOf(ctx), wordOf(ctx)]);
    return `${name} says ${word}`;
  });
  // Its first question is put by the call, its second by the task.
  server.registerTool('ask-first', { task: 'auto', detach: 'manual' }, async (_args, ctx) => {
    const name = await nameOf(ctx);
    await ctx.detach();
    return `${name} says ${await wordOf(ctx)}`;
  });
  server.registerTool('break', { task: 'auto' }, () => {
    throw new ToolError('It broke');
  });
  server.registerTool('refuse', { task: 'auto' }, () => {
    throw new RpcError(-31000, 'Not today', { again: 'tomorrow' });
  });

  server.registerTool('wait', { ...key, task: 'auto' }, (args, ctx) => {
    const ended = wait(args, ctx.signal);
    ctx.reportProgress(1, 2, 'Half of it');
    return ended;
  });
  server.registerTool('waiting', key, waiting);
  server.registerTool('waited', key, waited);
  server.registerTool('release', key, release);
  return server;
}
