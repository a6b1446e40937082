/** Opens a WebSocket on Node: with the package `ws`, which reports why a server refuses, or with the built-in class. */

import { STATUS_CODES } from 'node:http';
import type { Writable } from 'node:stream';
import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { Address } from './address.ts';
import { openSocket as openGlobalSocket } from './global-socket.ts';
import { listenTo, loadWs, WS_OPTIONS } from './node-ws.ts';
import { codeOf, type SocketListener } from './socket.ts';

export async function openSocket(address: Address, listener: SocketListener, signal: AbortSignal): Promise<void> {
  let ws: typeof import('ws');
  try {
    ws = await loadWs();
  } catch (error) {
    if (typeof globalThis.WebSocket !== 'function' || address.headers) throw error;
    openGlobalSocket(address, listener, signal);
    return;
  }
  if (!signal.aborted) openWith(ws, address, listener, signal);
}

function openWith(
  { WebSocket }: typeof import('ws'),
  address: Address,
  listener: SocketListener,
  signal: AbortSignal,
): void {
  let failure: ConnectionError | undefined;
  const ws = new WebSocket(address.url, [...address.protocols], {
    ...WS_OPTIONS,
    headers: { ...address.headers },
    maxPayload: address.maxMessageBytes,
  });
  const fails = (error: Error): void => {
    failure ??= failed(address, codeOf(error) ?? error.message, error);
  };
  const ends = (): void => listener.onEnd(failure);
  ws.on('error', fails);
  ws.on('close', ends);
  ws.on('unexpected-response', (_request, { statusCode = 0 }) => {
    failure = failed(address, `the server answered ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim());
    ws.terminate();
  });
  let stream: Writable | undefined;
  ws.on('upgrade', ({ socket }) => {
    stream = socket;
  });
  ws.on('open', () => {
    ws.off('error', fails);
    ws.off('close', ends);
    if (stream) listener.onOpen(listenTo(ws, stream, listener));
  });
  signal.addEventListener('abort', () => ws.terminate(), { once: true });
}

function failed({ name }: Address, why: string, cause?: Error): ConnectionError {
  return new ConnectionError('failed', `Cannot open a WebSocket to ${name}: ${why}`, cause ? { cause } : {});
}
