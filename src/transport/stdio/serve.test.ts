import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { McpServer } from '../../server/server.ts';
import { serveStdio } from './serve.ts';

const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`;
const pong = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}\n`;

function server(): McpServer {
  return new McpServer({ name: 'test', version: '1.2.3' });
}

function listeners(): number {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => process.listenerCount(signal));
  const streams = [process.stdin, process.stdout, process.stderr].flatMap((stream) =>
    ['data', 'error', 'drain', 'close'].map((event) => stream.listenerCount(event)),
  );
  return [...signals, ...streams].reduce((sum, count) => sum + count, 0);
}

describe('serving streams in a process that lives on', () => {
  test('answers each line, and ends when the input does, after the last answer', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const order: string[] = [];
    const onClose = (): void => void order.push(String(output.read()));
    const serving = await serveStdio(server(), { input, output, exit: false, onClose });
    input.end(ping(1) + ping(2));
    await serving.closed;
    expect(order).toEqual([pong(1) + pong(2)]);
    expect(output.writable).toBe(true);
  });

  test('answers what came before it listened, also when the input ended already', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(ping(1));
    const serving = await serveStdio(server(), { input, output, exit: false });
    await serving.closed;
    expect(String(output.read())).toBe(pong(1));
  });

  test('asks for no scopes: who started the program owns it', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const scoped = server().registerTool('delete', { scopes: ['notes:write'] }, () => 'Deleted');
    const serving = await serveStdio(scoped, { input, output, exit: false });
    const params = {
      name: 'delete',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    await serving.closed;
    expect(JSON.parse(String(output.read())).result.content).toEqual([{ type: 'text', text: 'Deleted' }]);
  });

  test('ends when the output breaks', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const onClose = vi.fn();
    const serving = await serveStdio(server(), { input, output, exit: false, onClose });
    output.destroy(new Error('EPIPE'));
    await serving.closed;
    expect(onClose).toHaveBeenCalledOnce();
  });

  test('ends by `close`, and calls the hook once', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const onClose = vi.fn();
    const serving = await serveStdio(server(), { input, output, exit: false, onClose });
    await Promise.all([serving.close(), serving.close()]);
    input.end();
    await serving.closed;
    expect(onClose).toHaveBeenCalledOnce();
  });

  test('leaves signals and the standard streams alone', async () => {
    const before = listeners();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { write } = process.stdout;
    const serving = await serveStdio(server(), { input, output, exit: false });
    expect(listeners()).toBe(before);
    expect(process.stdout.write).toBe(write);
    await serving.close();
  });

  test('waits no longer than a second for the hook', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = await serveStdio(server(), { input, output, exit: false, onClose: () => new Promise(() => {}) });
    const start = performance.now();
    await serving.close();
    expect(performance.now() - start).toBeLessThan(1500);
  });

  test('cannot begin on an output that is closed', async () => {
    const output = new PassThrough();
    output.destroy();
    const starting = serveStdio(server(), { input: new PassThrough(), output, exit: false });
    await expect(starting).rejects.toThrow('The stream to write to is closed');
  });

  test('tells a person at a terminal what to type, and the example works', async () => {
    const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const [input, output] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()];
    const serving = await serveStdio(server(), { input, output, exit: false });
    const [greeting] = print.mock.calls.flat();
    print.mockRestore();
    const [what, example, end] = String(greeting).split('\n');
    expect(what).toMatch(/^test 1\.2\.3 is an MCP server and waits for its client/);
    expect(end).toBe('Ctrl-D ends it.');
    input.write(`${example}\n`);
    while (output.readableLength === 0) await turn();
    expect(String(output.read())).toBe(pong(1));
    await serving.close();
  });
});
