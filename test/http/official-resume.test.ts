/** The official client v1 gets the response of a call whose stream is cut, and cut again before anything came on it. */

import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { nodeHandler } from 'mcpp/http';
import { expect, test, vi } from 'vitest';
import { makeStage } from './stage.ts';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('the call is answered', async () => {
  const stage = makeStage();
  const resumed: (string | undefined)[] = [];
  const handler = nodeHandler(stage.server, { retryMs: 10 });
  const http = createHttpServer((request, response) => {
    if (request.method === 'GET') resumed.push(request.headers['last-event-id'] as string | undefined);
    handler(request, response);
  });
  const port = await listening(http);
  const sockets = new Set<Socket>();
  const wire = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket.on('error', () => {}).on('close', () => other.destroy()));
      socket.pipe(other);
    }
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const client = new Client({ name: 'c', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${await listening(wire)}/mcp`));
  await client.connect(transport);

  const tokens: string[] = [];
  const options = { onprogress: () => {}, onresumptiontoken: (token: string) => void tokens.push(token) };
  const answered = client.callTool({ name: 'wait', arguments: {} }, undefined, options);
  const begun = await stage.begun();
  begun.ctx.reportProgress(1);
  await vi.waitFor(() => expect(tokens).toHaveLength(2));
  for (let cuts = 1; cuts <= 3; cuts++) {
    cut();
    // The client reads the stream again, on which nothing is said but its id.
    await vi.waitFor(() => expect(tokens).toHaveLength(2 + cuts), { timeout: 5000 });
  }
  expect(resumed.filter((id) => id?.startsWith('post-'))).toEqual(tokens.slice(1, 4));
  begun.end('done');
  expect(await answered).toMatchObject({ content: [{ text: 'done' }] });
  await client.close();
  cut();
  wire.close();
  await handler.close();
  http.close();
}, 20_000);
