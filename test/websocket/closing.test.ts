/** How a WebSocket server ends: calls may finish, clients are told, nothing is left. */

import { connect } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import { serveWebSocket, webSocketTransport } from 'mcpp/websocket';
import { expect, test } from 'vitest';
import { frame, Opcode, RawClient } from './raw.ts';

interface Work {
  readonly server: McpServer;
  /** Resolves when the call is running. */
  readonly running: Promise<void>;
  finish(): void;
  readonly aborted: Promise<void>;
}

/** A server with one tool, which works until it is told to finish, or is aborted. */
function work(): Work {
  const [started, finished, aborted] = [later(), later(), later()];
  const server = new McpServer({ name: 'closing', version: '1.0.0' }).registerTool('work', {}, async (_args, ctx) => {
    started.resolve();
    ctx.signal.addEventListener('abort', aborted.resolve);
    await Promise.race([finished.promise, aborted.promise]);
    return ctx.signal.aborted ? 'aborted' : 'finished';
  });
  return { server, running: started.promise, finish: finished.resolve, aborted: aborted.promise };
}

test('an idle client is told with 1001', async () => {
  const { server } = work();
  const listening = await serveWebSocket(server, { port: 0 });
  const client = await RawClient.open(listening.url);
  const closed = listening.close();
  expect(await client.closeCode()).toBe(1001);
  client.write(frame(Opcode.close, Buffer.from([0x03, 0xe9])));
  await closed;
  await client.gone;
});

test('a call that ends within the grace is answered; meanwhile nobody is let in, and no call begins', async () => {
  const { server, running, finish, aborted } = work();
  const listening = await serveWebSocket(server, { port: 0 });
  const mcp = await connect(webSocketTransport(listening.url));
  const call = mcp.callTool('work');
  await running;
  const closed = listening.close({ graceMs: 60_000 });
  await expect(mcp.callTool('work')).rejects.toThrow('The server is closing');
  await expect(connect(webSocketTransport(listening.url))).rejects.toThrow('ECONNREFUSED');
  finish();
  expect((await call).content).toEqual([{ type: 'text', text: 'finished' }]);
  await closed;
  expect(mcp.state).toBe('closed');
  await mcp.close();
  await expect(Promise.race([aborted, Promise.resolve('never')])).resolves.toBe('never');
});

test('a call that does not end is aborted when the grace is over', async () => {
  const { server, running, aborted } = work();
  const listening = await serveWebSocket(server, { port: 0 });
  const mcp = await connect(webSocketTransport(listening.url));
  const call = mcp.callTool('work').catch((error: Error) => error);
  await running;
  await listening.close({ graceMs: 30 });
  await aborted;
  await call;
  expect(mcp.state).toBe('closed');
  await mcp.close();
});

test('closing twice is closing once', async () => {
  const listening = await serveWebSocket(work().server, { port: 0 });
  expect(listening.close()).toBe(listening.close());
  await listening.close();
});

test('a client that does not say goodbye does not hold up the end', async () => {
  const listening = await serveWebSocket(work().server, { port: 0 });
  const client = await RawClient.open(listening.url);
  await listening.close();
  expect(await client.closeCode()).toBe(1001);
  await client.gone;
});

test('neither does one that sends half a request, or none at all', async () => {
  const listening = await serveWebSocket(work().server, { port: 0 });
  const [half, nothing] = [new RawClient(listening.url), new RawClient(listening.url)];
  half.socket.write('GET /mcp HTTP/1.1\r\nHost: localhost\r\n');
  await RawClient.open(listening.url).then(({ socket }) => socket.destroy());
  await listening.close();
  await Promise.all([half.gone, nothing.gone]);
});

function later(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
