/** A wire that can be cut: whoever connects to it is connected to another port of this machine. */

import { connect, createServer } from 'node:net';

/** Lays a wire to a port. */
export async function layWire(port) {
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.setNoDelay().pipe(other);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    /** Breaks every connection there is. New ones can be made. */
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async remove() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
