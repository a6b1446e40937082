/** Limits the connections of Node's HTTP server. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Pool } from '../../../server/limits/pool.ts';
import { callerAddress } from './caller-address.ts';

/** Fraction of the limit up to which connections are not counted per address, because most servers never have more. */
const UNCOUNTED = 1 / 4;

/** Closes new connections beyond the limit: the total, or the share of one remote address while others are connected. */
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
