/** WebSocket server for runtimes without the modules of Node: every function throws. */

import type { WebSocketHandler } from './node-handler.ts';
import type { WebSocketServerHandle } from './options.ts';

const MESSAGE = 'Serving over WebSockets needs Node, or a runtime that has its modules';

export function makeHandler(): WebSocketHandler {
  throw new Error(MESSAGE);
}

export async function listen(): Promise<WebSocketServerHandle> {
  throw new Error(MESSAGE);
}
