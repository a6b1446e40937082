/** `webSocketHandler` and `serveWebSocket`: serve MCP over WebSockets. */

import { listen, makeHandler } from '#web-socket-server';
import type { McpServer } from '../../server/server.ts';
import type { WebSocketHandler } from './node-handler.ts';
import {
  checkWebSocketOptions,
  type ServeWebSocketOptions,
  type WebSocketOptions,
  type WebSocketServerHandle,
} from './options.ts';

/** Creates a handler for an existing HTTP server: `httpServer.on('upgrade', handler.upgrade)`. It accepts all paths. */
export function webSocketHandler(server: McpServer<unknown>, options: WebSocketOptions = {}): WebSocketHandler {
  return makeHandler(checkWebSocketOptions('webSocketHandler', server, options), options);
}

/** Listens for clients, by default at `ws://127.0.0.1:3000/mcp`. Resolves when clients can connect. */
export async function serveWebSocket(
  server: McpServer<unknown>,
  options: ServeWebSocketOptions = {},
): Promise<WebSocketServerHandle> {
  return listen(checkWebSocketOptions('serveWebSocket', server, options), options);
}
