/** `mcpp/websocket`: serves and connects over WebSockets. */

export type { WebSocketTransportOptions } from '../transport/websocket/address.ts';
export { webSocketTransport } from '../transport/websocket/client.ts';
export type { WebSocketHandler } from '../transport/websocket/node-handler.ts';
export type {
  ServeWebSocketOptions,
  WebSocketLimits,
  WebSocketOptions,
  WebSocketServerHandle,
} from '../transport/websocket/options.ts';
export { serveWebSocket, webSocketHandler } from '../transport/websocket/server.ts';
