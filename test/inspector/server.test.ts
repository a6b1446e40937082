/** The server of the example, over raw lines, on every method. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/inspector/${name}`, import.meta.url));

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

let server: ChildProcessWithoutNullStreams;
const answers = new Map<number, (answer: string) => void>();
const notifications: string[] = [];
let stderr = '';
let id = 0;

/** Writes a request, and gives the result or the error in the line that answers it. */
async function ask(method: string, params?: object): Promise<unknown> {
  const request = { jsonrpc: '2.0', id: ++id, method, params };
  const answer = new Promise<string>((resolve) => answers.set(request.id, resolve));
  server.stdin.write(`${JSON.stringify(request)}\n`);
  const { result, error } = JSON.parse(await answer);
  return result ?? error;
}

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'inspector-client', version: '1.0.0' },
};
let opened: unknown;
beforeAll(async () => {
  server = spawn(process.execPath, [example('server.mjs')]);
  server.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
  });
  createInterface({ input: server.stdout }).on('line', (line) => {
    const answered = /^{"jsonrpc":"2.0","id":(\d+)/.exec(line)?.[1];
    if (answered === undefined) notifications.push(line);
    else answers.get(Number(answered))?.(line);
  });
  opened = await ask('initialize', initialize);
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
});

afterAll(async () => {
  server.stdin.end();
  const [code] = await once(server, 'close');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test('says what it offers when a session is opened', () => {
  expect(opened).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    serverInfo: { name: 'InspectorExample', version: '1.0.0' },
    instructions: 'Three tools, a few files, two prompts. Nothing is changed.',
  });
});

test('says the same to whoever has no session', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  expect(await ask('server/discover', { _meta })).toMatchObject({
    resultType: 'complete',
    supportedVersions: expect.arrayContaining(['2026-07-28', '2025-11-25']),
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
    instructions: 'Three tools, a few files, two prompts. Nothing is changed.',
  });
});

test('answers a ping', async () => {
  expect(await ask('ping')).toEqual({});
});

test('lists three tools', async () => {
  expect(await ask('tools/list')).toEqual({
    tools: [
      {
        name: 'calculate',
        description: 'Calculates with two numbers',
        inputSchema: {
          type: 'object',
          properties: {
            operation: { type: 'string', enum: ['add', 'subtract', 'multiply', 'divide'] },
            a: { type: 'number' },
            b: { type: 'number' },
          },
          required: ['operation', 'a', 'b'],
        },
        outputSchema: { type: 'object', properties: { result: { type: 'number' } }, required: ['result'] },
        annotations: { readOnlyHint: true },
      },
      {
        name: 'echo',
        description: 'Says what it was told',
        inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
        annotations: { readOnlyHint: true },
      },
      {
        name: 'get_time',
        description: 'Tells the time',
        inputSchema: {
          type: 'object',
          properties: { timeZone: { type: 'string', description: 'As in Europe/Paris. Default: UTC' } },
        },
        annotations: { readOnlyHint: true },
      },
    ],
  });
});

test.each([
  ['add', 9],
  ['subtract', 3],
  ['multiply', 18],
  ['divide', 2],
])('calculates: %s', async (operation, result) => {
  const args = { operation, a: 6, b: 3 };

  expect(await ask('tools/call', { name: 'calculate', arguments: args })).toEqual({
    ...text(`{"result":${result}}`),
    structuredContent: { result },
  });
});

test('a division by zero is a result that says so', async () => {
  const args = { operation: 'divide', a: 1, b: 0 };

  expect(await ask('tools/call', { name: 'calculate', arguments: args })).toEqual({
    ...text('Division by zero'),
    isError: true,
  });
});

test('an operation that does not exist never reaches the tool', async () => {
  const args = { operation: 'power', a: 1, b: 0 };

  expect(await ask('tools/call', { name: 'calculate', arguments: args })).toEqual({
    ...text(expect.stringMatching(/^Invalid arguments for tool calculate: \/operation /)),
    isError: true,
  });
});

test('echoes', async () => {
  expect(await ask('tools/call', { name: 'echo', arguments: { message: 'héllo\n' } })).toEqual(text('héllo\n'));
});

test('tells the time, here or there', async () => {
  expect(await ask('tools/call', { name: 'get_time' })).toEqual(
    text(expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT/)),
  );
  expect(await ask('tools/call', { name: 'get_time', arguments: { timeZone: 'Asia/Kolkata' } })).toEqual(
    text(expect.stringMatching(/ GMT\+05:30$/)),
  );
  expect(await ask('tools/call', { name: 'get_time', arguments: { timeZone: 'Nowhere' } })).toEqual({
    ...text('There is no such time zone; names are like Europe/Paris'),
    isError: true,
  });
});

test('lists a file, itself, and a family of files', async () => {
  expect(await ask('resources/list')).toEqual({
    resources: [
      { uri: 'file:///notes.txt', name: 'notes', description: 'A file', mimeType: 'text/plain' },
      {
        uri: 'info://server',
        name: 'server-info',
        description: 'What this server is',
        mimeType: 'application/json',
      },
    ],
  });
  expect(await ask('resources/templates/list')).toEqual({
    resourceTemplates: [
      {
        uriTemplate: 'file:///{name}',
        name: 'files',
        description: 'Any file of the folder',
        mimeType: 'text/plain',
      },
    ],
  });
});

test.each(['notes.txt', 'todo.txt'])('reads %s', async (name) => {
  const uri = `file:///${name}`;

  expect(await ask('resources/read', { uri })).toEqual({
    contents: [{ uri, mimeType: 'text/plain', text: readFileSync(example(`files/${name}`), 'utf8') }],
  });
});

test('reads what the server is', async () => {
  const { contents } = (await ask('resources/read', { uri: 'info://server' })) as { contents: { text: string }[] };

  expect(JSON.parse(contents[0]?.text ?? '')).toEqual({
    name: 'InspectorExample',
    version: '1.0.0',
    revision: '2025-11-25',
    tools: ['calculate', 'echo', 'get_time'],
  });
});

test.each(['file:///missing.txt', 'file:///..%2Fserver.mjs', 'file:///%2e%2e', 'file:///.'])(
  'gives nothing out of its folder: %s',
  async (uri) => {
    expect(await ask('resources/read', { uri })).toEqual({
      code: -32002,
      message: `Resource not found: ${uri}`,
      data: { uri },
    });
  },
);

test('lets a client subscribe to a file and go again', async () => {
  expect(await ask('resources/subscribe', { uri: 'file:///notes.txt' })).toEqual({});
  expect(await ask('resources/unsubscribe', { uri: 'file:///notes.txt' })).toEqual({});
});

test('lists two prompts', async () => {
  expect(await ask('prompts/list')).toEqual({
    prompts: [
      {
        name: 'greeting',
        description: 'Greets a person',
        arguments: [
          { name: 'name', description: 'Whom to greet', required: true },
          { name: 'style', description: 'Default: casual' },
        ],
      },
      {
        name: 'code_review',
        description: 'Reviews a piece of code',
        arguments: [
          { name: 'code', description: 'The code', required: true },
          { name: 'language', description: 'Its programming language' },
        ],
      },
    ],
  });
});

test.each([
  ['greeting', { name: 'Ada' }, 'Greets a person', 'Say hi to Ada.'],
  ['greeting', { name: 'Ada', style: 'formal' }, 'Greets a person', 'Write a formal greeting for Ada.'],
  [
    'code_review',
    { code: 'let a = 1', language: 'rust' },
    'Reviews a piece of code',
    'Review this code, bugs first:\n\n```rust\nlet a = 1\n```',
  ],
])('makes a prompt: %s %o', async (name, args, description, said) => {
  expect(await ask('prompts/get', { name, arguments: args })).toEqual({
    description,
    messages: [{ role: 'user', content: { type: 'text', text: said } }],
  });
});

test.each([
  [{ type: 'ref/prompt', name: 'greeting' }, 'style', 'p', ['poetic']],
  [{ type: 'ref/prompt', name: 'code_review' }, 'language', 'java', ['java', 'javascript']],
  [{ type: 'ref/resource', uri: 'file:///{name}' }, 'name', '', ['notes.txt', 'todo.txt']],
])('completes %o', async (ref, name, value, values) => {
  expect(await ask('completion/complete', { ref, argument: { name, value } })).toEqual({
    completion: { values, total: values.length, hasMore: false },
  });
});

test('logs what is at the level or above it, before the answer', async () => {
  const echo = { name: 'echo', arguments: { message: 'hello' } };
  expect(await ask('logging/setLevel', { level: 'warning' })).toEqual({});
  notifications.length = 0;
  await ask('tools/call', echo);
  expect(notifications).toEqual([]);

  await ask('logging/setLevel', { level: 'info' });
  await ask('tools/call', echo);
  expect(notifications).toEqual([
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"echo of 5 characters"}}',
  ]);
});
