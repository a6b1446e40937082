// A server with one fault, named by the environment variable FAULT: the fuzzer has to find it. Messages are lines on a socket.

import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { measurements } from '../../../fuzz/measurements.mjs';
import { underAttack } from '../../hostile/bounds/measured.mjs';

const { FAULT } = process.env;
const kept = [];

const send = (socket, message) => socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const FAULTS = {
  'answers twice': (socket, id) => {
    send(socket, { id, result: {} });
    send(socket, { id, result: {} });
  },
  'does not answer': () => {},
  'answers with text': (socket, id) => send(socket, { id, result: 'text' }),
  'shows a stack': (socket, id) => send(socket, { id, error: { code: 1, message: new Error('x').stack } }),
  crashes: () => process.exit(3),
  'takes CPU time': (socket, id) => {
    const end = process.cpuUsage().user + 600_000;
    for (let turns = 0; !socket.wasCostly; turns++) {
      if (turns % 1e6 === 0 && process.cpuUsage().user > end) socket.wasCostly = true;
    }
    send(socket, { id, result: {} });
  },
  'keeps memory': (socket, id) => {
    if (kept.length < 30) kept.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
    send(socket, { id, result: {} });
  },
  'keeps timers': (socket, id) => {
    setTimeout(() => {}, 100_000);
    send(socket, { id, result: {} });
  },
  'prints control characters': (socket, id) => {
    console.error('\u001b[2J');
    send(socket, { id, result: {} });
  },
  'changes a prototype': (socket, id) => {
    Object.prototype.polluted = true;
    send(socket, { id, result: {} });
  },
};

const server = createServer((socket) => {
  socket.on('error', () => {});
  const lines = createInterface({ input: socket }).on('error', () => {});
  lines.on('line', (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return send(socket, { error: { code: -32700, message: 'no' } });
    }
    const { id, method } = message ?? {};
    const isId = Number.isSafeInteger(id) || (typeof id === 'string' && id.length <= 1024);
    if (!isId || typeof method !== 'string') return undefined;
    const fault = method === 'tools/call' ? FAULTS[FAULT] : undefined;
    return fault ? fault(socket, id) : send(socket, { id, result: {} });
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
underAttack({ ready: { ports: { stdio: server.address().port } }, actions: measurements });
