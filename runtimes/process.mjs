/** A runtime as a child process that says things in lines of JSON. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const STOP_MS = 3000;

/** Starts a program. It may say things on stdout, or on a pipe of its own with the number 3. */
export function start(program, args, { cwd, isNoise = () => true }) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const [, stdout, stderr, control] = child.stdio;
  const noise = [];
  const said = [];
  const waiting = [];
  let end;
  const hear = (line) => {
    if (isNoise(line)) noise.push(line);
  };
  const take = (line) => {
    if (!line.startsWith('{')) hear(line);
    else if (waiting.length > 0) waiting.shift().resolve(JSON.parse(line));
    else said.push(JSON.parse(line));
  };
  for (const stream of [stdout, control]) createInterface({ input: stream }).on('line', take);
  createInterface({ input: stderr }).on('line', hear);
  const ended = new Promise((resolve) => {
    child.once('error', resolve);
    child.once('close', (code, signal) => resolve(new Error([`It ended with ${signal ?? code}`, ...noise].join('\n'))));
  });
  void ended.then((error) => {
    end = error;
    for (const { reject } of waiting.splice(0)) reject(error);
  });
  return {
    /** The lines nobody asked for. */
    noise,
    /** The next thing it says. */
    async next() {
      if (said.length > 0) return said.shift();
      if (end) throw end;
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      child.kill();
      await ended;
      clearTimeout(timer);
    },
  };
}
