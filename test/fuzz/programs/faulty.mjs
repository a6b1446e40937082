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
    for (const end = process.cpuUsage().user + 700_000; process.cpuUsage().user < end; );
    send(socket, { id, result: {} });
  },
  'keeps memory': (socket, id) => {
    kept[0] ??= Array.from({ length: 1_500_000 }, (_, index) => ({ index }));
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
  createInterface({ input: socket }).on('line', (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return send(socket, { error: { code: -32700, message: 'no' } });
    }
    const { id, method, params } = message ?? {};
    const isId = Number.isSafeInteger(id) || (typeof id === 'string' && id.length <= 1024);
    if (!isId || typeof method !== 'string') return undefined;
    // A fault that shows only now and then.
    const fault = params?.name === 'echo' ? FAULTS[FAULT] : undefined;
    return fault ? fault(socket, id) : send(socket, { id, result: {} });
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
underAttack({ ready: { ports: { stdio: server.address().port } }, actions: measurements });
