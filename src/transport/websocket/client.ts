/** `webSocketTransport`: the transport of WebSocket clients. */

import { openSocket } from '#web-socket';
import { receivedLimits } from '../../jsonrpc/json/message-limits.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { addressOf, type WebSocketTransportOptions } from './address.ts';
import { CloseCode } from './socket.ts';
import { SocketTransport } from './socket-transport.ts';

// Maximum bytes that wait for a server that does not read.
const UNREAD_BYTES = 64 * 1024 * 1024;
const OPEN_MS = 30_000;

/** Creates a transport to a `ws:` or `wss:` URL, for `connect` of `mcpp/client`. The transport can connect only once. */
export function webSocketTransport(url: string | URL, options: WebSocketTransportOptions = {}): Transport {
  const address = addressOf(url, options);
  return new SocketTransport((listener, signal) => openSocket(address, listener, signal), {
    structure: receivedLimits(address.maxMessageBytes, 'maxMessageBytes'),
    messageBytes: address.maxMessageBytes,
    unreadBytes: UNREAD_BYTES,
    alwaysReads: true,
    goodbye: CloseCode.Normal,
    openMs: OPEN_MS,
  });
}
