/** `mcpp/websocket` where there is no Node: bundled for browsers, and run with a WebSocket that is one of theirs. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { McpServer } from 'mcpp/server';
import { serveWebSocket } from 'mcpp/websocket';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mcpp-websocket-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bundles a program as a page's would be, and says which modules are in it. */
async function bundled(contents: string): Promise<{ text: string; modules: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    // The package as it is built, not its sources.
    tsconfigRaw: '{}',
  });
  return { text: outputFiles[0]?.text ?? '', modules: Object.keys(metafile.inputs) };
}

test('the bundle has neither a module of Node’s nor ws in it', async () => {
  const { text, modules } = await bundled("export * from 'mcpp/websocket';");
  expect(modules).toContain('dist/transport/websocket/global-socket.js');
  expect(modules.filter((path) => path.includes('node'))).toEqual([]);
  expect(text).not.toMatch(/["'](node:|ws["'])/);
});

test('the client works, and says so much as a browser lets it when it cannot', async () => {
  const server = new McpServer({ name: 'hello', version: '1.0.0' }).registerTool('hello', {}, () => 'Hello page!');
  const listening = await serveWebSocket(server, { port: 0 });
  const { text } = await bundled(`
    import { webSocketTransport } from 'mcpp/websocket';
    const said = [];
    const answers = new Map();
    const receiver = {
      onMessage: (message) => answers.get(message.id)(message),
      onError: (error) => said.push(error.message),
      onClose: (cause) => said.push('closed ' + cause),
    };
    const transport = webSocketTransport(${JSON.stringify(listening.url)});
    const ask = (id, method, params) =>
      new Promise((resolve) => {
        answers.set(id, resolve);
        transport.send({ jsonrpc: '2.0', id, method, params });
      });
    await transport.connect(receiver);
    const clientInfo = { name: 'page', version: '1.0.0' };
    await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    said.push((await ask(2, 'tools/call', { name: 'hello' })).result.content[0].text);
    await transport.disconnect();
    await webSocketTransport('ws://127.0.0.1:1/').connect(receiver).catch((error) => said.push(error.message));
    console.log(JSON.stringify(said));
  `);
  const program = join(folder, 'page.mjs');
  writeFileSync(program, text);
  const flags = typeof globalThis.WebSocket === 'function' ? [] : ['--experimental-websocket'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program], { timeout: 20_000 });
  expect(JSON.parse(stdout)).toEqual([
    'Hello page!',
    'closed undefined',
    'Cannot open a WebSocket to ws://127.0.0.1:1: it cannot be reached, or refuses',
  ]);
  await listening.close();
});
