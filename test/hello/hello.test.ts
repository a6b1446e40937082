import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const hello = fileURLToPath(new URL('../../examples/hello/hello.mjs', import.meta.url));

/** Writes lines to the hello server, ends its input, and gives what it wrote. */
async function converse(
  lines: readonly string[],
): Promise<{ answers: unknown[]; stderr: string; code: number | null }> {
  const child = spawn(process.execPath, [hello]);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [code] = (await once(child, 'close')) as [number | null];
  const answers = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
  return { answers, stderr, code };
}

const initialize = `{"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-ai","version":"0.1.0"}},"jsonrpc":"2.0","id":0}`;
const initialized = `{"method":"notifications/initialized","jsonrpc":"2.0"}`;
const list = `{"method":"tools/list","params":{},"jsonrpc":"2.0","id":1}`;
const call = `{"method":"tools/call","params":{"name":"HelloTool","arguments":{"value":"Yann"}},"jsonrpc":"2.0","id":4}`;

test('the conversation of the original document', async () => {
  const { answers, stderr, code } = await converse([initialize, initialized, list, call]);

  expect(answers).toEqual([
    {
      jsonrpc: '2.0',
      id: 0,
      result: {
        // The document answers 2024-11-05 to a client that asked for 2025-06-18: here the client gets what it asked for.
        protocolVersion: '2025-06-18',
        // The document declares `"tools": {}`: here the list may change and clients are told, and there are log messages.
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: 'GreetingServer', version: '1.0.0' },
      },
    },
    {
      jsonrpc: '2.0',
      id: 1,
      result: {
        tools: [
          {
            name: 'HelloTool',
            description: 'A tool that greets users',
            inputSchema: {
              type: 'object',
              properties: { value: { type: 'string', description: 'User name to greet' } },
              required: ['value'],
            },
          },
        ],
      },
    },
    // The document shows `Hello-bonjour Yann!` on the wire and `Hello Yann!` in its explanation of the layers.
    { jsonrpc: '2.0', id: 4, result: { content: [{ type: 'text', text: 'Hello Yann!' }] } },
  ]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
});

test('a method that does not exist is -32601, a tool that does not exist is -32602', async () => {
  const { answers } = await converse([
    initialize,
    `{"jsonrpc":"2.0","id":1,"method":"tools/unknown"}`,
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ByeTool"}}`,
    `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"HelloTool","arguments":{"value":7}}}`,
  ]);

  expect(answers.slice(1)).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found: tools/unknown' } },
    { jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'Unknown tool: ByeTool' } },
    {
      jsonrpc: '2.0',
      id: 3,
      error: { code: -32602, message: 'Invalid arguments for tool HelloTool: /value must be string' },
    },
  ]);
});

test('the same server answers a client that opens with no handshake', async () => {
  const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`;
  const { answers } = await converse([
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"HelloTool","arguments":{"value":"Yann"},"_meta":${meta}}}`,
  ]);

  expect(answers).toEqual([
    {
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [{ type: 'text', text: 'Hello Yann!' }],
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'GreetingServer', version: '1.0.0' } },
      },
    },
  ]);
});
