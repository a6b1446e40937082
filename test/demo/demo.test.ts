import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const demo = fileURLToPath(new URL('../../examples/demo/demo.mjs', import.meta.url));
const started: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [demo, ...args]);
  started.push(child);
  return child;
}

/** The URL the demo says it listens at. */
async function urlOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    const url = /http:\/\/\S+\/mcp/.exec(said)?.[0];
    if (url && said.includes('--stdio')) return url;
  }
  throw new Error(`The demo ended: ${said}`);
}

test('the demo says where it listens, answers there, and ends when it is told to', async () => {
  const child = start('--port', '0');
  const url = await urlOf(child);
  expect(new URL(url).hostname).toBe('127.0.0.1');

  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'HelloTool', arguments: { value: 'Yann' }, _meta };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'HelloTool',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'Hello Yann!' }] } });

  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('<code>choose_tea</code>');

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('with --stdio it speaks on standard input and output, and says nothing else', async () => {
  const child = start('--stdio');
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  let stdout = '';
  for await (const chunk of child.stdout) stdout += chunk;
  expect(stdout).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
});
