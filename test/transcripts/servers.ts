/** The servers the transcripts talk to. */

import type { Implementation } from 'mcpp';
import { McpServer, type Viewer } from 'mcpp/server';
import { addPromptsAndResources } from './server-content.ts';
import { addQuestions } from './server-questions.ts';
import { addTools } from './server-tools.ts';

const icons = [
  { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' },
] as const;

/** What every one of them says of itself. */
export const INFO: Implementation = {
  name: 'transcripts',
  version: '1.0.0',
  title: 'Transcripts',
  description: 'What the transcripts talk to',
  websiteUrl: 'https://example.com/',
  icons,
};

// What handlers throw by accident is part of some conversations, and of no concern to whoever runs the tests.
const onError = (): void => {};

/** Has everything. */
function everything(): McpServer {
  const server = new McpServer(INFO, { instructions: 'Ask for one thing at a time.', onError });
  addTools(server);
  addQuestions(server);
  addPromptsAndResources(server);
  server.setHandler('com.example/echo', (params) => ({ echo: params['text'] }));
  return server;
}

/** Shows what the lists look like: one entry of each kind, with everything an entry can have. */
function showcase(): McpServer {
  const server = new McpServer(INFO, { onError });
  const described = { title: 'A title', description: 'A description', icons, _meta: { 'example.com/tag': 1 } };
  server.registerTool(
    'decorated',
    {
      ...described,
      inputSchema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      outputSchema: { type: 'object', properties: { b: { type: 'integer' } }, required: ['b'] },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ a }) => ({ b: a }),
  );
  server.registerTool('list', { outputSchema: { type: 'array', items: { type: 'integer' } } }, () => [1, 2]);
  const argsSchema = {
    type: 'object',
    properties: { topic: { type: 'string', title: 'Topic', description: 'What about' }, tone: { type: 'string' } },
    required: ['topic'],
  } as const;
  server.registerPrompt('brief', { ...described, argsSchema }, ({ topic }) => topic);
  const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' } as const;
  server.registerResource(
    'test://text',
    { ...described, name: 'text', mimeType: 'text/plain', size: 5, annotations },
    () => 'Hello',
  );
  server.registerResourceTemplate(
    'test://item/{id}',
    { ...described, name: 'item', mimeType: 'text/plain', annotations },
    ({ id }) => id,
  );
  return server;
}

/** Gives its lists in pages of two. */
function pages(): McpServer {
  const server = new McpServer(INFO, { limits: { pageSize: 2 }, onError });
  for (const name of ['a', 'b', 'c']) {
    server.registerTool(name, {}, () => name);
    server.registerPrompt(name, {}, () => name);
    server.registerResource(`test://${name}`, { name }, () => name);
    server.registerResourceTemplate(`test://${name}/{id}`, { name }, () => name);
  }
  return server;
}

/** Has nothing but a tool for everybody, and one for clients that know of it. */
function bare(): McpServer {
  const server = new McpServer(INFO, { onError });
  server.registerTool('greet', {}, () => 'Hello');
  const visible = ({ capabilities }: Viewer): boolean => 'reveal' in (capabilities.experimental ?? {});
  server.registerTool('hidden', { visible }, () => 'You found me');
  return server;
}

/** The hello server, as `docs/protocol.md` shows it on the wire. */
function hello(): McpServer {
  const server = new McpServer({ name: 'GreetingServer', version: '1.0.0' });
  const value = { type: 'string', description: 'User name to greet' } as const;
  const inputSchema = { type: 'object', properties: { value }, required: ['value'] } as const;
  server.registerTool(
    'HelloTool',
    { description: 'A tool that greets users', inputSchema },
    (args) => `Hello ${args.value}!`,
  );
  return server;
}

const makers: ReadonlyMap<string, () => McpServer> = new Map([
  ['everything', everything],
  ['showcase', showcase],
  ['pages', pages],
  ['bare', bare],
  ['hello', hello],
  ['stateless', () => new McpServer(INFO, { revisions: ['2026-07-28'], onError })],
  ['stateful', () => new McpServer(INFO, { revisions: ['2025-11-25', '2025-06-18'], onError })],
]);

/** A new server of this name. */
export function makeServer(name: string): McpServer {
  const make = makers.get(name);
  if (!make) throw new Error(`There is no server "${name}"`);
  return make();
}
