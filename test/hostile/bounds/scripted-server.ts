/** An HTTP server of 2025-11-25 and 2026-07-28 that lists one tool and answers every call of it with the same result. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running server, whose tool can be replaced. */
export interface ScriptedServer {
  readonly url: string;
  tool: { readonly inputSchema?: object; readonly outputSchema?: object; readonly structuredContent?: unknown };
  close(): void;
}

/** Starts one on a free port. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const server: Server = createServer(async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()));
    const { id, method } = body === '' ? {} : (JSON.parse(body) as { id?: number; method?: string });
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    const result = resultOf(method ?? '', scripted.tool);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const scripted: ScriptedServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    tool: {},
    close: () => void server.close().closeAllConnections(),
  };
  return scripted;
}

function resultOf(method: string, tool: ScriptedServer['tool']): object {
  if (method === 'initialize') {
    const serverInfo = { name: 's', version: '1' };
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
  }
  // What 2026-07-28 asks for; older revisions ignore it.
  const stateless = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  if (method === 'server/discover') {
    return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...stateless };
  }
  const { inputSchema = { type: 'object' }, outputSchema, structuredContent } = tool;
  if (method === 'tools/list') return { tools: [{ name: 't', inputSchema, outputSchema }], ...stateless };
  return method === 'tools/call' ? { content: [], structuredContent, ...stateless } : {};
}
