// A client program of the benchmark as a process of its own, which calls when it is asked to.
import { spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts the client of a library and waits until it is connected: `where` is `pair` for a server of the same process,
 * `stdio` for the floor server as a program it starts, or `http` for the floor server at `url`.
 */
export async function startClient(file, { where, revision, url = '' }) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [path, where, revision, url], {
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
    /** Has it call, and gives calls per second and what the client itself used for each. */
    async measure({ milliseconds, inFlight }) {
      const answer = event(child, 'message');
      child.send({ milliseconds, inFlight });
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
