/** A bound on the connections of a server of Node's own. */

import type { Server } from 'node:http';
import { Pool } from '../../../server/limits/pool.ts';
import { callerAddress } from './caller-address.ts';

/** Closes connections beyond the limit at once: in all, and of one address that competes with others. */
export function limitConnections(http: Server, limit: number): void {
  const pool = new Pool(limit);
  http.on('connection', (socket) => {
    const caller = callerAddress(socket.remoteAddress);
    if (!pool.hasRoom({ caller })) {
      socket.destroy();
      return;
    }
    pool.take(caller);
    socket.once('close', () => pool.release(caller));
  });
}
