/** Tools that answer at once, tools that say something before they answer, and tools that change the server. */

import { type McpServer, ToolError } from 'mcpp/server';

const text = { type: 'string' } as const;
const PIXEL = 'iVBORw0KGgo=';
const icons = [{ src: 'https://example.com/icon.png' }];

/** Registers them. */
export function addTools(server: McpServer): void {
  addAnswers(server);
  addReports(server);
  addChanges(server);
  addWaiting(server);
}

function addAnswers(server: McpServer): void {
  const greeting = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
  server.registerTool('greet', { inputSchema: greeting }, ({ name }) => `Hello ${name}!`);
  server.registerTool(
    'add',
    {
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'integer' }, b: { type: 'integer' } },
        required: ['a', 'b'],
      },
      outputSchema: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] },
    },
    ({ a, b }) => ({ sum: a + b }),
  );
  const list = { type: 'array', items: { type: 'integer' } } as const;
  server.registerTool('primes', { outputSchema: list }, () => [2, 3, 5]);
  server.registerTool('everything', {}, () => [
    {
      type: 'text',
      text: 'text',
      annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-02T03:04:05Z' },
      _meta: { 'example.com/tag': 1 },
    },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'test://text', name: 'text', title: 'The text', mimeType: 'text/plain', icons },
    { type: 'resource', resource: { uri: 'test://text', mimeType: 'text/plain', text: 'Hello', _meta: { tag: 1 } } },
    { type: 'resource', resource: { uri: 'test://blob', mimeType: 'image/png', blob: PIXEL } },
  ]);
  server.registerTool('fail', {}, () => {
    throw new ToolError('The shop is closed');
  });
  server.registerTool('crash', {}, () => {
    throw new Error('password=hunter2');
  });
}

function addReports(server: McpServer): void {
  server.registerTool('count', {}, (_args, ctx) => {
    ctx.reportProgress(1, 3, 'one');
    ctx.reportProgress(1, 3, 'one again');
    ctx.reportProgress(0.5, 3, 'back');
    ctx.reportProgress(2.5, 3, 'two and a half');
    ctx.reportProgress(3, 3, 'three');
    return 'counted';
  });
  server.registerTool('log', {}, (_args, { log }) => {
    log.debug('a');
    log.info({ b: 1 }, 'shop');
    log.notice('c');
    log.warning('d');
    log.error('e');
    log.critical('f');
    log.alert('g');
    log.emergency('h');
    return 'logged';
  });
}

function addChanges(server: McpServer): void {
  const uri = { type: 'object', properties: { uri: text }, required: ['uri'] } as const;
  server.registerTool('touch', { inputSchema: uri }, (args) => {
    server.resourceUpdated(args.uri);
    return 'touched';
  });
  server.registerTool('add-tool', {}, () => {
    server.registerTool('extra', {}, () => 'extra');
    return 'added';
  });
  server.registerTool('remove-tool', {}, () => (server.tools.remove('extra') ? 'removed' : 'not there'));
  server.registerTool('add-prompt', {}, () => {
    server.registerPrompt('extra', {}, () => 'extra');
    return 'added';
  });
  server.registerTool('add-resource', {}, () => {
    server.registerResource('test://extra', 'text/plain', () => 'extra');
    return 'added';
  });
}

// Calls that run for as long as a conversation wants them to.
function addWaiting(server: McpServer): void {
  const waiting: (() => void)[] = [];
  const cancelled: string[] = [];
  const named = { type: 'object', properties: { name: text } } as const;
  // All of them with a schema: the first check of one loads the engine, and calls without would overtake it.
  const nothing = { inputSchema: { type: 'object' } } as const;
  server.registerTool('wait', { inputSchema: named }, ({ name = 'wait' }, { signal }) => {
    const note = (): void => void cancelled.push(`${name}: ${(signal.reason as Error).message}`);
    if (signal.aborted) note();
    else signal.addEventListener('abort', note);
    return new Promise<string>((resolve) => waiting.push(() => resolve(`${name} is over`)));
  });
  server.registerTool('wait-and-count', nothing, async (_args, ctx) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    ctx.reportProgress(1);
    ctx.log.emergency('too late');
    return 'counted';
  });
  server.registerTool('release', nothing, () => {
    for (const end of waiting.splice(0)) end();
    return 'released';
  });
  server.registerTool('cancelled', nothing, () => cancelled.join('; '));
}
