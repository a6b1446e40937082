/** A server whose lists have pages of 9 MB without end does not fill the memory of its client. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerTo } from './flooding.mjs';
import { expectCheap, startVictim, type Victim } from './victim.ts';

let server: Server;
let url: string;
let pages = 0;
const victims: Victim<object>[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const message = body === '' ? {} : JSON.parse(body);
    const answer = answerTo(message);
    if (!answer) response.writeHead(request.method === 'POST' ? 202 : 405).end();
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(message.method.endsWith('/list') ? { ...answer, result: pageOf(message.method) } : answer),
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  for (const victim of victims) await victim.close();
});

/** 15 items of 0.6 MB each; after 40 pages the list ends. */
function pageOf(method: string): object {
  pages++;
  const items = Array.from({ length: 15 }, (_, at) => ({
    name: `${pages}-${at}`,
    uri: `a:${pages}-${at}`,
    description: 'x'.repeat(600_000),
    inputSchema: { type: 'object' },
  }));
  const member = method === 'tools/list' ? 'tools' : method === 'prompts/list' ? 'prompts' : 'resources';
  return { [member]: items, ...(pages < 40 ? { nextCursor: String(pages) } : {}) };
}

test.each(['listResources', 'listPrompts', 'listTools'])('%s', async (what) => {
  pages = 0;
  const victim = await startVictim<object>('list-client');
  victims.push(victim);
  await victim.run('open', url);
  const outcomes: unknown[] = [];
  const cost = await victim.during(async () => outcomes.push(await victim.run('list', what)));
  expectCheap(cost, 9 * pages);
  expect(cost.heapMb).toBeLessThan(150);
  if (what === 'listTools') {
    expect(await victim.run('errors')).toEqual([expect.stringContaining('more than 67108864 bytes of tools')]);
  } else {
    expect(outcomes).toEqual(['too-many-bytes']);
    expect(pages).toBe(8);
  }
});
