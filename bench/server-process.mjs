// A server of the benchmark as a process of its own: the floor, mcpp or a peer, in one of the modes.
import { spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const probe = pathToFileURL(join(folder, 'probe.mjs')).href;
const START_MS = 20_000;

/** Starts a server and waits until it can be talked to. */
export async function startServer(file, { mode, tools = 3, env = {} }) {
  const port = mode === 'stdio' ? 0 : await freePort();
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, resolve(folder, file)], {
    env: { ...process.env, ...env, NODE_ENV: 'production', MCP_MODE: mode, PORT: String(port), TOOLS: String(tools) },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr = `${stderr}${text}`.slice(-4000);
  });
  child.stdin.on('error', () => {}); // that it has ended is told by `exit`
  const ended = event(child, 'exit');
  const failed = ended.then(([code, signal]) => {
    throw new Error(`${file} (${mode}) ended with ${code ?? signal}\n${stderr}`);
  });
  failed.catch(() => {});
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  if (mode !== 'stdio') {
    child.stdout.resume();
    await Promise.race([listening(child, port), failed]).catch(async (error) => {
      await stop();
      throw error;
    });
  }
  return {
    child,
    port,
    /** What the process has used so far; `gc` collects first. */
    async usage(question = 'usage') {
      const answer = event(child, 'message');
      child.send(question);
      const [usage] = await Promise.race([answer, failed]);
      return usage;
    },
    stop,
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await event(server, 'listening');
  const { port } = server.address();
  server.close();
  await event(server, 'close');
  return port;
}

// Only whether somebody listens: the floor takes no request but its own.
async function listening(child, port) {
  const end = Date.now() + START_MS;
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect({ port, host: '127.0.0.1' });
    const isUp = await event(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    if (Date.now() > end) throw new Error(`Nobody listens after ${START_MS / 1000} seconds`);
    await pass(20);
  }
}
