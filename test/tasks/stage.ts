/** A server with tools that run as tasks, and the words its tests have in common. */

import { type MemoryTaskStore, memoryTaskStore, type TasksOptions, tasks } from 'mcpp/extensions/tasks';
import { type Context, McpServer, type Principal, RpcError } from 'mcpp/server';
import { z } from 'zod';
import { open, quiet, type Reply, type Wire } from '../wire.ts';

/** A handler that works until the test lets it go on, or its signal ends it. */
export interface Work {
  readonly ctx: Context;
  finish(text: string): void;
}

/** What a test has in hand. */
export interface Stage {
  readonly server: McpServer;
  readonly store: MemoryTaskStore;
  /** The calls of `work` that are running, in order. */
  readonly works: readonly Work[];
  /** What was reported as a fault. */
  readonly faults: readonly unknown[];
}

export const ALICE: Principal = { issuer: 'https://as.example.com', subject: 'alice' };
export const BOB: Principal = { issuer: 'https://as.example.com', subject: 'bob' };

export const TASKS = 'io.modelcontextprotocol/tasks';

/** A client that can be asked, and has the extension. */
export const DECLARED: object = { elicitation: { form: {} }, extensions: { [TASKS]: {} } };
/** One that can be asked, and has it not. */
export const UNDECLARED: object = { elicitation: { form: {} } };

const name = z.object({ name: z.string() });

/** Makes a server. */
export function makeStage(options: TasksOptions = {}): Stage {
  const store = memoryTaskStore();
  const works: Work[] = [];
  const faults: unknown[] = [];
  const report = (error: unknown): void => void faults.push(error);
  const server = new McpServer(
    { name: 's', version: '1' },
    { extensions: [tasks({ store, onError: report, ...options })], onError: report },
  );
  const work = (_: unknown, ctx: Context): Promise<string> =>
    new Promise((resolve, reject) => {
      works.push({ ctx, finish: resolve });
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason), { once: true });
    });
  server
    .registerTool('greet', {}, () => 'Hello!')
    .registerTool('never', { task: 'never' }, () => 'Hello!')
    .registerTool('work', { task: 'auto' }, work)
    .registerTool('only', { task: 'required' }, () => 'Done')
    .registerTool('wrong', { task: 'auto' }, () => ({ content: [{ type: 'text', text: 'No disk' }], isError: true }))
    .registerTool('broken', { task: 'auto' }, () => {
      throw new RpcError(-32010, 'Broken', { part: 'disk' });
    })
    .registerTool('ask', { task: 'auto' }, async (_, ctx) => {
      const answers = await Promise.all([ctx.elicit('First?', name), ctx.elicit('Second?', name)]);
      return JSON.stringify(answers);
    })
    .registerTool('tell', { task: 'auto' }, async (_, ctx) => {
      ctx.reportProgress(1, 2, 'Half of it');
      ctx.log.info('Half of it');
      return work(_, ctx);
    })
    .registerTool('later', { task: 'auto', detach: 'manual' }, async (_, ctx) => {
      const first = await ctx.elicit('Before?', name);
      const isTask = await ctx.detach();
      const second = await ctx.elicit('After?', name);
      return JSON.stringify([isTask, first, second]);
    });
  return { server, store, works, faults };
}

/** Calls a tool and gives the id of the task that it is. */
export async function start(wire: Wire, tool: string, more: object = {}): Promise<string> {
  const { result, error } = await wire.call('tools/call', { name: tool, arguments: {}, ...more });
  const { taskId } = (result?.['task'] ?? result ?? {}) as { taskId?: string };
  if (typeof taskId !== 'string') throw new Error(`Not a task: ${JSON.stringify(result ?? error)}`);
  return taskId;
}

/** The task when it is in this state. */
export async function when(wire: Wire, taskId: string, status: string): Promise<NonNullable<Reply['result']>> {
  for (;;) {
    const { result, error } = await wire.call('tasks/get', { taskId });
    if (!result) throw new Error(`No task: ${error?.message}`);
    if (result['status'] === status) return result;
    await quiet();
  }
}

/** Accepts a form. */
export function accept(text: string): object {
  return { action: 'accept', content: { name: text } };
}

/** Opens a connection of a client that has the extension. */
export function openDeclared(server: McpServer, principal?: Principal): Promise<Wire> {
  return open(server, { capabilities: DECLARED, ...(principal ? { principal } : {}) });
}
