import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { nodeHandler } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { expect, test, vi } from 'vitest';

test('a client that opens a stream with a body nobody reads is missed as soon as it is gone', async () => {
  const handler = nodeHandler(new McpServer({ name: 's', version: '1' }), { sse: true });
  const http = createServer(handler);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const head = ['GET /mcp HTTP/1.1', 'Host: 127.0.0.1', 'Accept: text/event-stream', 'Content-Length: 1000000', '', ''];
  socket.write(head.join('\r\n') + ' '.repeat(1_000_000));
  const [answer] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])));
  expect(answer?.toString()).toMatch(/^HTTP\/1.1 200 /);
  socket.destroy();
  const open = (): Promise<number> => new Promise((resolve) => http.getConnections((_, count) => resolve(count)));
  await vi.waitFor(async () => expect(await open()).toBe(0));
  await handler.close();
  http.close();
});
