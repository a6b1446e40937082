/** The runtimes, and the rows each has in the table. */

import { binaryOf, versionOf } from './binaries.mjs';
import { hosted, recipe } from './hosted.mjs';
import { workers } from './workers.mjs';

const NO_EVAL = '--disallow-code-generation-from-strings';
// The network is all it needs.
const DENO = ['run', '--no-prompt', '--no-check', '--unstable-no-legacy-abort', '--allow-net=127.0.0.1'];

/** The runtimes by name; each gives its rows, for a folder that was staged. */
export const RUNTIMES = new Map([
  ['node 20', (folder) => node(folder, process.execPath)],
  ['node 22', (folder) => node(folder, binaryOf('node 22'))],
  ['node 24', (folder) => node(folder, binaryOf('node 24'))],
  [
    'bun',
    async (folder) => {
      const program = binaryOf('bun');
      const name = `bun ${versionOf(program)}`;
      const preloaded = ['run', '--preload', './recipes/here.mjs', 'recipes/bun.ts'];
      return [
        ...(await hosted(name, folder, program, ['run', 'hosts/bun.mjs'])),
        await recipe(name, folder, program, preloaded),
      ];
    },
  ],
  [
    'deno',
    async (folder) => {
      const program = binaryOf('deno');
      const name = `deno ${versionOf(program)}`;
      const preloaded = [...DENO, '--preload', './recipes/here.mjs', 'recipes/deno.ts'];
      return [
        ...(await hosted(name, folder, program, [...DENO, 'hosts/deno.mjs'])),
        await recipe(name, folder, program, preloaded),
      ];
    },
  ],
  [
    'workerd',
    (folder) => {
      const program = binaryOf('workerd');
      return workers(`workerd ${versionOf(program)}`, folder, program);
    },
  ],
]);

async function node(folder, program) {
  const name = `node ${versionOf(program)}`;
  return [
    ...(await hosted(name, folder, program, ['hosts/node.mjs'])),
    ...(await hosted(`${name}, no eval`, folder, program, [NO_EVAL, 'hosts/node.mjs'])),
    await recipe(`${name}, Koa`, folder, program, ['--import', './recipes/here.mjs', 'recipes/koa.mjs']),
  ];
}
