/** Serves sessions over HTTP with a transport of the official SDKs, of which there is one for each session. */

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** `open(options)` gives a transport that is connected to a server of its own. */
export function serveSessions(open) {
  const sessions = new Map();
  createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !sessions.has(id)) return response.writeHead(404).end();
    const transport =
      sessions.get(id) ??
      (await open({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (given) => {
          sessions.set(given, transport);
        },
        onsessionclosed: (given) => {
          sessions.delete(given);
        },
      }));
    await transport.handleRequest(request, response);
  }).listen(0, '127.0.0.1');
}
