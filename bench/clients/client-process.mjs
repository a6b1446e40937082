// A client program of the benchmark as a process of its own, which calls when it is asked to.
import { spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/**
 * Starts the client of a library and waits until it is connected: `where` is `pair` for a server of the same process,
 * `stdio` for the floor server as a program it starts, or `http` for the floor server at `url`.
 */
export async function startClient(file, { where, revision, url = '' }) {
  const child = spawn(process.execPath, [resolve(folder, file), where, revision, url], {
    env: { ...process.env, NODE_ENV: 'production', MCP_MODE: 'stdio', TOOLS: '3' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr = `${stderr}${text}`.slice(-4000);
  });
  const ended = event(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`${file} (${where}, ${revision}) ended with ${code}\n${stderr}`);
  });
  failed.catch(() => {});
  await Promise.race([event(child, 'message'), failed]);
  return {
    /** Calls for `milliseconds` or `count` times; returns calls per second and the CPU time of the client per call. */
    async measure(length) {
      const answer = event(child, 'message');
      child.send(length);
      const [{ calls, seconds, cpuMicroseconds }] = await Promise.race([answer, failed]);
      return { 'calls/s': calls / seconds, 'CPU µs/call': cpuMicroseconds / calls };
    },
    /** What it started itself ends with it, as its input does. */
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
