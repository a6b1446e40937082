import { Agent, type IncomingMessage, request } from 'node:http';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { expect, test } from 'vitest';

test('results of 10 MB, one after the other on one connection, are all sent to a client that reads them', async () => {
  const server = new McpServer({ name: 's', version: '1' });
  const large = 'x'.repeat(10_000_000);
  server.registerTool('large', {}, async () => large);
  const served = await serveHttp(server, { port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'large',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = (id: number): Promise<[number | undefined, number]> =>
    new Promise((resolve, reject) => {
      const sent = request(served.url, { method: 'POST', agent, headers }, async (response: IncomingMessage) => {
        let length = 0;
        for await (const chunk of response) length += (chunk as Buffer).length;
        resolve([response.statusCode, length]);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'large', _meta } }));
    });
  for (let id = 0; id < 5; id++) {
    const [status, length] = await call(id);
    expect(status).toBe(200);
    expect(length).toBeGreaterThan(large.length);
  }
  agent.destroy();
  await served.close();
});
