/** Plays transcripts over WebSockets, with the bare frames on the client's side. */

import { once } from 'node:events';
import { serveWebSocket } from 'mcpp/websocket';
import { WebSocket } from 'ws';
import { Inbox } from './inbox.ts';
import type { Runner } from './play.ts';
import { makeServer } from './servers.ts';

/** A connection to a server of its own. What one text frame holds is one line. */
export const webSocket: Runner = {
  name: 'websocket',
  async open(name) {
    const listening = await serveWebSocket(makeServer(name), { port: 0 });
    const socket = new WebSocket(listening.url, 'mcp', { perMessageDeflate: false });
    const inbox = new Inbox();
    socket.on('message', (data) => inbox.put(JSON.parse(String(data))));
    socket.on('close', (code) => inbox.end(new Error(`the server closed the connection with ${code}`)));
    await once(socket, 'open');
    return {
      send: (line) => socket.send(line),
      next: () => inbox.next(),
      async close() {
        socket.terminate();
        await listening.close();
      },
    };
  },
};
