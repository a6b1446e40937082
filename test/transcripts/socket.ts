/** Plays transcripts over lines of bytes to another process: what stdio does, without a process per conversation. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { bundle } from './bundle.ts';
import { Inbox } from './inbox.ts';
import type { Runner } from './play.ts';

/** The runner, and how to end the process behind it. */
export async function socketRunner(): Promise<{ readonly runner: Runner; readonly end: () => void }> {
  const { program, remove } = await bundle('serve-socket');
  // The process ends when its input does, so also when this one is killed.
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const ports = JSON.parse(line) as Record<string, number>;
  const open: Runner['open'] = async (name) => {
    const socket = connect({ port: ports[name] ?? 0, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    const inbox = new Inbox();
    socket.on('error', (error) => inbox.end(error));
    socket.on('close', () => inbox.end(new Error('the server closed the connection')));
    createInterface({ input: socket }).on('line', (text) => inbox.put(JSON.parse(text)));
    return {
      send: (text) => void socket.write(`${text}\n`),
      next: () => inbox.next(),
      close: async () => void socket.destroy(),
    };
  };
  const end = (): void => {
    child.stdin.end();
    remove();
  };
  return { runner: { name: 'socket', open }, end };
}
