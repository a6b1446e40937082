/** What is kept in an `AsyncLocalStorage` around the handler, as tracing does, is there in the tools. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { nodeHandler } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { expect, onTestFinished, test } from 'vitest';
import { call, statelessHeaders } from './messages.ts';
import { connectTo, rawRequest } from './raw.ts';

async function openTraced(): Promise<number> {
  const trace = new AsyncLocalStorage<string | undefined>();
  const server = new McpServer({ name: 'traced', version: '1.0.0' });
  server.registerTool('trace', {}, () => trace.getStore() ?? 'lost');
  const handler = nodeHandler(server);
  const http = createServer((request, response) =>
    trace.run(request.headers['x-trace']?.toString(), () => handler(request, response)),
  );
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  return (http.address() as AddressInfo).port;
}

const message = call(1, 'trace', {}, true);
const body = JSON.stringify(message);
const fields = Object.entries({ host: 'localhost', ...statelessHeaders(message), 'content-length': `${body.length}` });
const head = (trace: string): string =>
  rawRequest(
    'POST /mcp HTTP/1.1',
    [...fields, ['x-trace', trace]].map((field) => field.join(': ')),
  );

test('with a body that comes along with its head, and for each request of its own', async () => {
  const port = await openTraced();
  const traces = ['a', 'b', 'c'];
  const clients = await Promise.all(traces.map(() => connectTo(port)));
  const answers = clients.map((client, at) => client.write(head(traces[at] ?? '') + body).answer());
  for (const [at, answer] of (await Promise.all(answers)).entries()) expect(answer.body).toContain(`"${traces[at]}"`);
});

test('with a body that comes in pieces', async () => {
  const client = await connectTo(await openTraced());
  client.write(head('a') + body.slice(0, 10));
  for (let turns = 0; turns < 20; turns++) await turn();
  expect((await client.write(body.slice(10)).answer()).body).toContain('"a"');
});
