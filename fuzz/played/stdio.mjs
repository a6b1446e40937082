// The played server as a program: relay.mjs is started by the client and passes everything on to here.

import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { chunkBorders } from '../mutations.mjs';

const RELAY = fileURLToPath(new URL('relay.mjs', import.meta.url));

export class PlayedProgram {
  script;
  #server = createServer((socket) => this.#serve(socket));
  #sockets = new Set();

  async listen() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  target() {
    return { command: process.execPath, args: [RELAY, String(this.#server.address().port)] };
  }

  drop() {
    for (const socket of this.#sockets) socket.destroy();
  }

  close() {
    this.drop();
    this.#server.close();
  }

  #serve(socket) {
    const { script } = this;
    this.#sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
    let rest = '';
    socket.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) this.#take(JSON.parse(line), socket, script);
    });
  }

  #take(message, socket, script) {
    if (message.id === undefined || message.method === undefined) return;
    const { messages, hangUp, transport } = script.answer(message);
    const ends = transport?.pick(['\r\n', '\n\n\n', '', ' \n', '\n\u001b[2J\n']) ?? '\n';
    const all = Buffer.concat(messages.flatMap((one) => [one, Buffer.from(ends)]));
    script.count(all);
    let start = 0;
    for (const end of [...(transport ? chunkBorders(all.length, transport) : []), all.length]) {
      socket.write(all.subarray(start, end));
      start = end;
    }
    if (hangUp) socket.end();
  }
}
