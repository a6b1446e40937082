/** A bound on the connections of a server of Node's own. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Pool } from '../../../server/limits/pool.ts';
import { callerAddress } from './caller-address.ts';

/** The part of the limit up to which connections are not counted for each address: most servers never have more. */
const UNCOUNTED = 1 / 4;

/** Closes connections beyond the limit at once: in all, and of one address that competes with others. */
export function limitConnections(http: Server, limit: number): void {
  if (!Number.isFinite(limit)) return;
  http.maxConnections = limit;
  const uncounted = Math.floor(limit * UNCOUNTED);
  const pool = new Pool(limit - uncounted);
  http.on('connection', (socket) => {
    http.getConnections((_, open) => {
      if (open > uncounted && !socket.destroyed) count(socket, pool);
    });
  });
}

function count(socket: Socket, pool: Pool): void {
  const caller = callerAddress(socket.remoteAddress);
  if (!pool.hasRoom({ caller })) {
    socket.destroy();
    return;
  }
  pool.take(caller);
  socket.once('close', () => pool.release(caller));
}
