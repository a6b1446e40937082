/**
 * A server with a little of everything: something to look at with the Inspector, or with `client.mjs`.
 * `node server.mjs` is on standard input and output, `node server.mjs --http --port 3000` at http://127.0.0.1:3000/mcp.
 */

import { readdir, readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { serveHttp } from 'mcpp/http';
import { McpServer, ToolError } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';

const info = { name: 'InspectorExample', version: '1.0.0' };
const server = new McpServer(info, { instructions: 'Three tools, a few files, two prompts. Nothing is changed.' });

const OPERATIONS = new Map([
  ['add', (a, b) => a + b],
  ['subtract', (a, b) => a - b],
  ['multiply', (a, b) => a * b],
  ['divide', divide],
]);

function divide(a, b) {
  if (b === 0) throw new ToolError('Division by zero');
  return a / b;
}

server.registerTool(
  'calculate',
  {
    description: 'Calculates with two numbers',
    inputSchema: {
      type: 'object',
      properties: {
        operation: { type: 'string', enum: [...OPERATIONS.keys()] },
        a: { type: 'number' },
        b: { type: 'number' },
      },
      required: ['operation', 'a', 'b'],
    },
    outputSchema: { type: 'object', properties: { result: { type: 'number' } }, required: ['result'] },
    annotations: { readOnlyHint: true },
  },
  ({ operation, a, b }) => ({ result: OPERATIONS.get(operation)(a, b) }),
);

server.registerTool(
  'echo',
  {
    description: 'Says what it was told',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    annotations: { readOnlyHint: true },
  },
  ({ message }, ctx) => {
    ctx.log.info(`echo of ${message.length} characters`);
    return message;
  },
);

server.registerTool(
  'get_time',
  {
    description: 'Tells the time',
    inputSchema: {
      type: 'object',
      properties: { timeZone: { type: 'string', description: 'As in Europe/Paris. Default: UTC' } },
    },
    annotations: { readOnlyHint: true },
  },
  ({ timeZone = 'UTC' }) => {
    try {
      return new Date().toLocaleString('sv-SE', { timeZone, timeZoneName: 'longOffset' });
    } catch {
      throw new ToolError('There is no such time zone; names are like Europe/Paris');
    }
  },
);

const folder = new URL('./files/', import.meta.url);
const text = { mimeType: 'text/plain' };

server.registerResource('file:///notes.txt', { name: 'notes', description: 'A file', ...text }, () =>
  readFile(new URL('notes.txt', folder), 'utf8'),
);

// A name is looked up in the folder before anything is opened: what is not there by that very name is not found.
server.registerResourceTemplate(
  'file:///{name}',
  {
    name: 'files',
    description: 'Any file of the folder',
    ...text,
    complete: { name: async (typed) => (await readdir(folder)).filter((name) => name.startsWith(typed)).sort() },
  },
  async ({ name }) =>
    (await readdir(folder)).includes(name) ? readFile(new URL(encodeURIComponent(name), folder), 'utf8') : undefined,
);

server.registerResource(
  'info://server',
  { name: 'server-info', description: 'What this server is', mimeType: 'application/json' },
  (_uri, ctx) => JSON.stringify({ ...info, revision: ctx.revision, tools: server.tools.names }),
);

const starting = (words) => (typed) => words.filter((word) => word.startsWith(typed.toLowerCase()));
const GREETINGS = new Map([
  ['casual', 'Say hi to'],
  ['formal', 'Write a formal greeting for'],
  ['poetic', 'Greet in four rhyming lines'],
]);

server.registerPrompt(
  'greeting',
  {
    description: 'Greets a person',
    argsSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Whom to greet' },
        style: { type: 'string', enum: [...GREETINGS.keys()], description: 'Default: casual' },
      },
      required: ['name'],
    },
    complete: { style: starting([...GREETINGS.keys()]) },
  },
  ({ name, style = 'casual' }) => `${GREETINGS.get(style)} ${name}.`,
);

server.registerPrompt(
  'code_review',
  {
    description: 'Reviews a piece of code',
    argsSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'The code' },
        language: { type: 'string', description: 'Its programming language' },
      },
      required: ['code'],
    },
    complete: { language: starting(['c++', 'go', 'java', 'javascript', 'python', 'rust', 'typescript']) },
  },
  ({ code, language = '' }) => [
    {
      role: 'user',
      content: { type: 'text', text: `Review this code, bugs first:\n\n\`\`\`${language}\n${code}\n\`\`\`` },
    },
  ],
);

const { values } = parseArgs({ options: { http: { type: 'boolean' }, port: { type: 'string', default: '3000' } } });
if (values.http) {
  const { url } = await serveHttp(server, { port: Number(values.port) });
  console.log(`Listening at ${url}`);
} else await serveStdio(server);
