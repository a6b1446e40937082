/** Runs all three: the authorization server, the server, and the client. `node protected.mjs [--port 3000] [--issuer-port 4000]` */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '3000' }, 'issuer-port': { type: 'string', default: '4000' } },
});
const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const started = [];

/** Starts a program that listens, and waits until it says so. */
async function start(name, ...args) {
  const child = spawn(process.execPath, [fileOf(name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const listens = new Promise((resolve) => child.stdout.once('data', resolve));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} has ended`)));
  console.log(String(await Promise.race([listens, ended])).trim());
  ended.catch(() => {});
}

function stop() {
  for (const child of started) child.kill('SIGTERM');
}
process.once('SIGINT', stop).once('SIGTERM', stop);

try {
  await start('authorization-server.mjs', '--port', values['issuer-port']);
  await start('server.mjs', '--port', values.port, '--issuer', `http://127.0.0.1:${values['issuer-port']}`);
  const url = `http://127.0.0.1:${values.port}/mcp`;
  const client = spawn(process.execPath, [fileOf('client.mjs'), url], { stdio: 'inherit' });
  started.push(client);
  const [code] = await once(client, 'exit');
  process.exitCode = code ?? 1;
} finally {
  stop();
}
