/**
 * Preloaded into every server that is started for HTTP: has it listen on 127.0.0.1 and a free port whatever it wants,
 * tells the parent process which, what is asked of it, and when nobody is connected; and ends with the parent.
 */

import { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

const { listen } = NetServer.prototype;
const sockets = new Set();
let onIdle;

function leave(socket) {
  sockets.delete(socket);
  if (sockets.size === 0) onIdle?.();
}

NetServer.prototype.listen = function listenHere(...args) {
  if (this instanceof Server) {
    this.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => leave(socket));
    });
    this.prependListener('request', ({ method, headers }) => {
      process.send({ method, session: headers['mcp-session-id'], resumes: headers['last-event-id'] !== undefined });
    });
    this.once('listening', () => process.send({ port: this.address().port }));
  }
  const callbacks = args.filter((arg) => typeof arg === 'function');
  return listen.call(this, { port: 0, host: '127.0.0.1' }, ...callbacks);
};

process.on('message', () => {
  onIdle = () => process.send({ idle: true });
  if (sockets.size === 0) onIdle();
});
process.on('disconnect', () => process.exit());
