/** The first messages of a program: what answers them is loaded, and nothing is lost or overtaken meanwhile. */

import { PassThrough } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import { claim } from '../../../test/wire.ts';
import type { McpServer } from '../../server/server.ts';

beforeEach(() => {
  vi.resetModules();
});

/** Serves lines that are all there is, with modules that nobody has used yet; gives what was answered. */
async function answersTo(lines: readonly object[], prepare: (server: McpServer) => unknown): Promise<unknown[]> {
  const [{ McpServer: Fresh }, { serveStdio }] = await Promise.all([
    import('../../server/server.ts'),
    import('./serve.ts'),
  ]);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const server = new Fresh({ name: 's', version: '1' }, { onError: () => {} });
  prepare(server);
  input.end(lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join(''));
  const serving = await serveStdio(server, { input, output, exit: false });
  await serving.closed;
  const text: string = output.read()?.toString() ?? '';
  return text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
}

const modern = { _meta: claim() };

test('a notification that is all there is is taken before the end', async () => {
  const taken = vi.fn();
  await answersTo([{ method: 'notifications/own', params: modern }], (server) =>
    server.setHandler('notifications/own', taken),
  );
  expect(taken).toHaveBeenCalledTimes(1);
});

test('thousands of notifications are all taken', async () => {
  const taken = vi.fn();
  const lines = Array.from({ length: 3000 }, () => ({ method: 'notifications/own', params: modern }));
  await answersTo(lines, (server) => server.setHandler('notifications/own', taken));
  expect(taken).toHaveBeenCalledTimes(3000);
});

test('requests of both families are answered in their order', async () => {
  const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const answers = await answersTo(
    [
      { id: 1, method: 'tools/call', params: { name: 't', ...modern } },
      { id: 2, method: 'initialize', params: opening },
      { id: 3, method: 'tools/call', params: { name: 't' } },
      { id: 4, method: 'tools/call', params: { name: 't', ...modern } },
    ],
    (server) => server.registerTool('t', {}, () => 'x'),
  );
  expect(answers).toMatchObject([1, 2, 3, 4].map((id) => ({ id, result: {} })));
});
