/** Streams that fail while `serveStdio` starts. */

import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { McpServer } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';
import { expect, test } from 'vitest';

function makeServer(): McpServer {
  const server = new McpServer({ name: 's', version: '1' });
  // A raw schema: `serveStdio` waits until the JSON Schema engine is loaded.
  server.registerTool('t', { inputSchema: { type: 'object' } }, () => '');
  return server;
}

test('an input that fails before the first message ends the connection', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const starting = serveStdio(makeServer(), { input, output, exit: false });
  input.destroy(new Error('boom'));
  await (await starting).closed;
});

test('an output that fails before the first message rejects serveStdio', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const starting = serveStdio(makeServer(), { input, output, exit: false });
  output.destroy(new Error('boom'));
  await expect(starting).rejects.toThrow('The stream to write to is closed');
  await turn();
});
