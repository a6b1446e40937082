/** In place of the server where there is no Node: says so. */

import type { WebSocketHandler } from './node-handler.ts';
import type { WebSocketServerHandle } from './options.ts';

const MESSAGE = 'Serving over WebSockets needs Node, or a runtime that has its modules';

/** Throws. */
export function makeHandler(): WebSocketHandler {
  throw new Error(MESSAGE);
}

/** Rejects. */
export async function listen(): Promise<WebSocketServerHandle> {
  throw new Error(MESSAGE);
}
