/** A server in a process of its own, over HTTP. */

import { spawn } from 'node:child_process';
import { inTime } from './row.mjs';

const preload = new URL('./loopback.mjs', import.meta.url).href;

/** Starts it, and waits until it listens. */
export async function startServer(args) {
  const child = spawn(process.execPath, ['--import', preload, ...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const requests = [];
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const told = (what) =>
    new Promise((resolve, reject) => {
      child.on('message', (message) => what in message && resolve(message[what]));
      void ended.then((code) => reject(new Error(`The server ended with ${code}\n${said}`)));
    });
  child.on('message', (message) => 'method' in message && requests.push(message));

  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const port = await inTime(() => told('port')).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    port,
    /** What was asked of it so far: the methods of HTTP, with the sessions they name. */
    requests,
    /** What it wrote. */
    get said() {
      return said;
    },
    /** Resolves when nobody is connected to it. */
    async idle() {
      const idle = told('idle');
      child.send('idle?');
      await idle;
    },
    stop,
  };
}
