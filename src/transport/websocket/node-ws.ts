/** Loads the package `ws` on demand, and adapts its sockets to the interface `Socket`. */

import { nextTick } from 'node:process';
import type { Writable } from 'node:stream';
import { clearInterval, setInterval } from 'node:timers';
import type { WebSocket } from 'ws';
import { ConnectionError } from '../../jsonrpc/errors.ts';
import {
  type CloseCode,
  CONGESTED_BYTES,
  causeOfEnd,
  codeOf,
  FAREWELL_MS,
  type Socket,
  type SocketListener,
} from './socket.ts';

/** Options of clients and servers: no compression, and `listenTo` answers pings itself. */
export const WS_OPTIONS: {
  readonly perMessageDeflate: false;
  readonly autoPong: false;
  readonly closeTimeout: number;
} = { perMessageDeflate: false, autoPong: false, closeTimeout: FAREWELL_MS };

/** Loads `ws`, an optional peer dependency. Rejects with a `ConnectionError` if it cannot be loaded. */
export async function loadWs(): Promise<typeof import('ws')> {
  try {
    return await import('ws');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Without free file descriptors, no module can be loaded, even if it is installed.
    const why = code === 'EMFILE' || code === 'ENFILE' ? `it could not be loaded (${code})` : 'run `npm install ws`';
    throw new ConnectionError('failed', `WebSockets need the package "ws" here: ${why}`, { cause });
  }
}

/**
 * Passes the events of a WebSocket to `listener`. `stream` is its TCP or TLS socket. With `keepAliveMs`, pings the peer at this
 * interval, and disconnects it after two unanswered pings.
 */
export function listenTo(ws: WebSocket, stream: Writable, listener: SocketListener, keepAliveMs = 0): Socket {
  let broken: ConnectionError | undefined;
  let unanswered = 0;
  let isCorked = false;
  const socket: Socket = {
    get unsent() {
      return ws.bufferedAmount;
    },
    send: (text) => {
      if (!isCorked) cork();
      ws.send(text, onSent);
    },
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    close: (code: CloseCode, reason) => ws.close(code, reason),
    terminate: () => ws.terminate(),
  };
  // Messages that are sent together leave in one write: a system call for each would take longer than all other work.
  const cork = (): void => {
    isCorked = true;
    stream.cork();
    nextTick(uncork);
  };
  const uncork = (): void => {
    isCorked = false;
    stream.uncork();
  };
  // While reading is paused, no pong is received. A completed write then shows that the peer is alive.
  const onSent = (error?: Error): void => {
    if (!error && ws.isPaused) unanswered = 0;
    listener.onSent();
  };
  const beat = (): void => {
    if (unanswered >= 2) ws.terminate();
    else if (ws.readyState === ws.OPEN) {
      unanswered++;
      ws.ping(onSent);
    }
  };
  const heart = keepAliveMs > 0 && keepAliveMs < 2 ** 31 ? setInterval(beat, keepAliveMs) : undefined;

  ws.on('message', (data, isBinary) => {
    unanswered = 0;
    if (isBinary) listener.onBinary();
    else listener.onText(data as Buffer);
  });
  ws.on('pong', () => {
    unanswered = 0;
  });
  ws.on('ping', (data) => {
    // No pong is sent to a peer that does not read, to limit memory.
    if (ws.bufferedAmount < CONGESTED_BYTES / 2) ws.pong(data, undefined, onSent);
  });
  ws.on('error', (error) => {
    broken = causeOf(error);
    listener.onBroken(broken);
  });
  ws.on('close', (code) => {
    clearInterval(heart);
    listener.onEnd(broken ?? causeOfEnd(code));
  });
  return socket;
}

function causeOf(error: Error): ConnectionError {
  const code = codeOf(error);
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
    const text =
      'The other side sent a message that is too long (option "maxMessageBytes"; of a server "messageBytes")';
    return new ConnectionError('too-large', text, { cause: error });
  }
  if (code?.startsWith('WS_ERR_')) {
    return new ConnectionError('malformed', `The other side broke the WebSocket protocol (${code})`, { cause: error });
  }
  return new ConnectionError('closed', `The connection broke (${code ?? error.name})`, { cause: error });
}
