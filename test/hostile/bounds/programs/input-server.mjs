// A server over the stdio transport, on sockets instead of standard streams, and over WebSocket.

import { createServer } from 'node:net';
import { McpServer } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';
import { serveWebSocket } from 'mcpp/websocket';
import { underAttack } from '../measured.mjs';

const errors = [];
const onError = (error) => errors.push(error.message);
const server = new McpServer({ name: 's', version: '1' }, { onError }).registerTool('echo', {}, () => 'ok');
const sockets = createServer((socket) => {
  void serveStdio(server, { input: socket, output: socket, exit: false, onClose: () => socket.destroy() });
}).listen(0, '127.0.0.1');
const { url } = await serveWebSocket(server, { port: 0 });
underAttack({
  ready: { port: sockets.address().port, url },
  actions: { errors: () => errors.splice(0) },
});
