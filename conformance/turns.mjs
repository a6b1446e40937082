// Lets clients run one after the other, and keeps how each of them ended.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Waits for clients. `skips` tells which scenarios are not to be run. */
export async function openTurns(skips) {
  const outcomes = new Map();
  const waiting = [];
  let running;

  const next = () => {
    if (running) return;
    running = waiting.shift();
    running?.write('go\n');
  };

  // A client says its scenario, is told to go on, and says how that ended. Whatever becomes of it, its turn ends with
  // its connection.
  const serveClient = (socket) => {
    let said = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      const isGreeting = said === '';
      said += text;
      const [scenario, outcome] = said.split('\n');
      outcomes.set(scenario, outcome || 'without a word');
      if (!isGreeting) return;
      if (skips(scenario)) socket.write('skip\n');
      else waiting.push(socket);
      next();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (waiting.includes(socket)) waiting.splice(waiting.indexOf(socket), 1);
      if (running !== socket) return;
      running = undefined;
      next();
    });
  };

  const server = createServer(serveClient);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, outcomes, close: () => server.close() };
}
