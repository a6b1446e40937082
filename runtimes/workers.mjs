/** Workers in workerd: the server by itself and in a Durable Object, and the recipes for both. */

import { join } from 'node:path';
import { fromHere, recipeOutcomes } from './hosted.mjs';
import { attempt, quietness, rowOf } from './outcomes.mjs';
import { start } from './process.mjs';
import { bundleWorker } from './stage.mjs';

const MODULES = ['hosts/worker-server.mjs', 'hosts/worker-client.mjs', 'recipes/worker.ts', 'recipes/durable.ts'];

/** The rows of workerd. */
export async function workers(name, folder, program) {
  const built = await attempt('start', async () => {
    for (const file of MODULES) await bundleWorker(join(folder, file));
  });
  if (built.length > 1) return [rowOf(`${name}: bundle`, [built])];
  return [
    ...(await running(name, folder, program, 'hosts/workerd.capnp', (ports) => smoke(name, folder, ports))),
    ...(await running(`${name}, recipes`, folder, program, 'recipes/workerd.capnp', (ports) =>
      recipes(name, folder, ports),
    )),
  ];
}

/** Starts workerd, has something done with the ports of its two sockets, and ends it. */
async function running(name, folder, program, config, action) {
  const args = ['serve', config, '--control-fd=3'];
  // It warns of what it does not notice itself.
  const host = start(program, args, { cwd: folder, isNoise: (line) => /error|exception|uncaught/i.test(line) });
  const rows = [];
  const began = await attempt('start', async () => {
    const ports = new Map();
    while (ports.size < 2) {
      const { socket, port } = await host.next();
      ports.set(socket, port);
    }
    for await (const row of action(ports)) rows.push(row);
  });
  await host.stop();
  return [...rows, rowOf(`${name}: process`, [began, quietness(host)])];
}

async function* smoke(name, folder, ports) {
  const server = `http://127.0.0.1:${ports.get('server')}`;
  const within = async (about) => {
    const body = JSON.stringify(about);
    const response = await fetch(`http://127.0.0.1:${ports.get('client')}/`, { method: 'POST', body });
    return response.json();
  };
  const unnoticed = ['cancel'];
  const unneeded = ['in process', ...unnoticed];
  for (const [kind, about] of [
    ['Worker', { url: `${server}/mcp`, isSessionless: true }],
    ['Durable Object', { url: `${server}/durable` }],
  ]) {
    const row = `${name}, ${kind}`;
    yield rowOf(`${row}: within, bound`, await within({ ...about, bound: true }));
    yield rowOf(`${row}: within, network`, await within({ ...about, lacks: unnoticed }), unnoticed);
    yield rowOf(`${row}: from Node`, await fromHere(folder, { ...about, lacks: unneeded }), unneeded);
  }
}

async function* recipes(name, folder, ports) {
  const worker = { port: ports.get('worker'), isSessionless: true };
  const durable = { port: ports.get('durable') };
  yield rowOf(`${name}, recipe Worker`, await recipeOutcomes(folder, worker));
  yield rowOf(`${name}, recipe Durable Object`, await recipeOutcomes(folder, durable));
}
