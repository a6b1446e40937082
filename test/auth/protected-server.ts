/** Protected MCP servers that listen: the URL of a resource is part of what it is, so it is known before they do. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FetchHandler, fetchHandler } from 'mcpp/fetch';
import { type Authenticate, type NodeHandler, nodeHandler, serveHttp } from 'mcpp/http';
import type { McpServer } from 'mcpp/server';
import { listen } from './authorization-server.ts';

/** A server that listens. */
export interface ProtectedServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Who is let in, once it is known to where. */
export type AuthFor = (resource: string) => Authenticate;

/** One way to serve. */
export type Face = (server: McpServer, authFor: AuthFor) => Promise<ProtectedServer>;

/** `serveHttp`, with a port that was free a moment ago, or the next that is. */
export const withServeHttp: Face = async (server, authFor) => {
  for (;;) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    try {
      const serving = await serveHttp(server, { port, auth: authFor(url) });
      return { url, close: () => serving.close({ graceMs: 0 }) };
    } catch (error) {
      if ((error as { cause?: { code?: string } }).cause?.code !== 'EADDRINUSE') throw error;
    }
  }
};

/** `nodeHandler` at the root of a server of one's own. */
export const withNodeHandler: Face = (server, authFor) =>
  atRoot((url) => {
    const handler = nodeHandler(server, { auth: authFor(url) });
    return [handler, handler];
  });

/** `fetchHandler` at the root, as runtimes with fetch call it. */
export const withFetchHandler: Face = (server, authFor) =>
  atRoot((url) => {
    const handler = fetchHandler(server, { auth: authFor(url) });
    return [(request, response) => void passOn(handler, url, request, response), handler];
  });

/** All of them by name, for `describe.each`. */
export const FACES: readonly (readonly [name: string, face: Face])[] = [
  ['serveHttp', withServeHttp],
  ['nodeHandler', withNodeHandler],
  ['fetchHandler', withFetchHandler],
];

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

async function atRoot(
  mount: (url: string) => readonly [listener: Listener, endpoint: Pick<NodeHandler, 'close'>],
): Promise<ProtectedServer> {
  const http = createServer();
  const url = `http://127.0.0.1:${await listen(http, 0)}/mcp`;
  const [listener, endpoint] = mount(url);
  http.on('request', listener);
  return {
    url,
    async close() {
      await endpoint.close({ graceMs: 0 });
      await ended(http);
    },
  };
}

async function passOn(
  handler: FetchHandler,
  base: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const pairs = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 ? [] : [[name, rawHeaders[at + 1] ?? '']],
  );
  const hangUp = new AbortController();
  outgoing.once('close', () => hangUp.abort());
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const request = new Request(new URL(url, base), {
    method,
    headers: pairs,
    signal: hangUp.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const }),
  });
  const response = await handler(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return void outgoing.end();
  // Whoever hangs up ends it in the middle.
  await pipeline(Readable.fromWeb(response.body), outgoing).catch(() => {});
}

async function ended(http: Server): Promise<void> {
  http.close();
  http.closeAllConnections();
  await once(http, 'close');
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const http = createServer();
  const port = await listen(http, 0);
  await ended(http);
  return port;
}
