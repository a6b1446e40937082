/** Responses of 16 MiB that consist of many small elements: received or refused, either costs little. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectCheap, startVictim, type Victim } from './victim.ts';

const MIB = 1024 * 1024;
let server: Server;
let victim: Victim<object>;
/** What the next response has beside what it must have, as JSON. */
let odd = '0';

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(String(Buffer.concat(await request.toArray())));
    const members = '"resultType":"complete","ttlMs":1,"cacheScope":"private"';
    const result: Record<string, string> = {
      'server/discover': '"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{}}',
      'tools/call': `"content":[],"structuredContent":${odd}`,
      'tools/list': `"tools":[{"name":"t","inputSchema":{"type":"object","enum":${odd}}}]`,
      'resources/read': `"contents":[{"uri":"a:b","text":"","_meta":{"odd":${odd}}}]`,
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members},${result[method]}}}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  victim = await startVictim<object>('element-client');
  await victim.run('open', `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  for (const what of ['call', 'read', 'list']) await victim.run('ask', what);
});
afterAll(async () => {
  await victim.close();
  server.closeAllConnections();
  server.close();
});

/** An array, or an object, of so many bytes. */
function filled(bytes: number, element: (at: number) => string, [open, close] = '[]'): string {
  const elements: string[] = [];
  for (let size = 0; size < bytes; ) {
    const one = element(elements.length);
    elements.push(one);
    size += one.length + 1;
  }
  return `${open}${elements.join(',')}${close}`;
}

/** Each with about the most MiB of it that are received. */
const SHAPES: [shape: string, most: number, element: (at: number) => string, brackets: string][] = [
  ['numbers', 3.9, () => '1', '[]'],
  ['short strings', 2, (at) => `"${at.toString(36)}"`, '[]'],
  ['strings', 4.2, (at) => `"value ${at}"`, '[]'],
  ['empty arrays', 0.5, () => '[]', '[]'],
  ['empty objects', 0.5, () => '{}', '[]'],
  ['pairs', 0.92, () => '[1,2]', '[]'],
  ['equal objects', 1.38, () => '{"a":1}', '[]'],
  ['objects with names of their own', 0.5, (at) => `{"${at.toString(36)}":1}`, '[]'],
  ['members of one object', 0.58, (at) => `"${at.toString(36)}":1`, '{}'],
];

test.each(SHAPES)('%s', { timeout: 120_000 }, async (_shape, most, element, brackets) => {
  for (const [size, expected] of [
    [most, 'received'],
    [15, 'too-large'],
  ] as const) {
    odd = filled(size * MIB, element, brackets);
    for (const what of ['call', 'read', 'list']) {
      const outcomes: unknown[] = [];
      const cost = await victim.during(async () => outcomes.push(await victim.run('ask', what)));
      expect(outcomes).toEqual([expected]);
      expectCheap(cost);
      expect(cost.heapMb).toBeLessThan(150);
    }
  }
});
