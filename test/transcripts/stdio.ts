/** Plays transcripts over the standard streams of a process that runs the built package. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bundle } from './bundle.ts';
import { Inbox } from './inbox.ts';
import type { Runner } from './play.ts';

/** The runner, and how to clean up after it. Each conversation has a process of its own. */
export async function stdioRunner(): Promise<{ readonly runner: Runner; readonly end: () => void }> {
  const { program, remove } = await bundle('serve-stdio');
  const open: Runner['open'] = async (name) => {
    const child = spawn(process.execPath, [program, name], { stdio: ['pipe', 'pipe', 'ignore'] });
    const inbox = new Inbox();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.once('error', (error) => inbox.end(error));
    child.once('exit', (code) => inbox.end(new Error(`the server ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => inbox.put(JSON.parse(line)));
    return {
      send: (line) => void child.stdin.write(`${line}\n`),
      next: () => inbox.next(),
      async close() {
        child.kill('SIGKILL');
        await ended;
      },
    };
  };
  return { runner: { name: 'stdio', open }, end: remove };
}
