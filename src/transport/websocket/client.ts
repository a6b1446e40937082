/** The client's side: a transport to a server that is reached over a WebSocket. */

import { openSocket } from '#web-socket';
import { receivedLimits } from '../../jsonrpc/json/json-limits.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { addressOf, type WebSocketTransportOptions } from './address.ts';
import { CloseCode } from './socket.ts';
import { SocketTransport } from './socket-transport.ts';

// More than this is not kept for a server that does not read.
const UNREAD_BYTES = 64 * 1024 * 1024;
const OPEN_MS = 30_000;

/** A transport to the server at this address, for `connect` of `mcpp/client`. It can be connected once. */
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
