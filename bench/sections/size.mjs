// How much code there is: what `npm i` brings, and what of a bundle is loaded.
import { spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figuresOf } from '../figures.mjs';
import { areInstalled, folderOf } from '../installed.mjs';
import { once } from '../load/http.mjs';
import { ask } from '../load/stdio.mjs';
import { bytesOf, greetOverStdio, messageOf } from '../modes.mjs';
import { startServer } from '../server-process.mjs';
import { bundled, kilobytesOf } from '../size/bundle.mjs';
import { installOf, installOfOurs } from '../size/install.mjs';

const MEGABYTE = 1e6;
const CALL = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } };
const ENGINE = 'schema/check/engine.js';
const bench = fileURLToPath(new URL('..', import.meta.url));

const STDIO = 'mcpp, stdio server';
const CLIENT = 'mcpp, client of a program';

/** The smallest program of each kind. Those of mcpp are also run, up to their first call. */
const PROGRAMS = [
  { name: STDIO, of: 'mcpp', file: 'start/stub.mjs', run: serveStdio },
  { name: 'mcpp, HTTP server', of: 'mcpp', file: 'size/mcpp-http.mjs', run: serveHttp },
  { name: CLIENT, of: 'mcpp', file: 'size/mcpp-client.mjs', run: callProgram },
  { name: 'mcpp, client of a URL', of: 'mcpp', file: 'size/mcpp-client.mjs', run: callUrl },
  { name: 'official v2, stdio server', of: 'official v2', file: 'size/official-v2-stdio.mjs' },
  { name: 'official v2, HTTP server', of: 'official v2', file: 'size/official-v2-http.mjs' },
  { name: 'official v2, client of a program', of: 'official v2', file: 'size/official-v2-client.mjs' },
  { name: 'official v1, stdio server', of: 'official v1', file: 'size/official-v1-stdio.mjs' },
  { name: 'official v1, client of a program', of: 'official v1', file: 'size/official-v1-client.mjs' },
  { name: 'tmcp, stdio server', of: 'tmcp', file: 'size/tmcp-stdio.mjs' },
  { name: 'mcp-lite, HTTP server', of: 'mcp-lite', file: 'size/mcp-lite-http.mjs' },
];

/** What has to be installed for a server and a client, as far as there is one. */
const PACKAGES = [
  { name: 'official v2', packages: ['server', 'node', 'client'].map((name) => `@modelcontextprotocol/${name}`) },
  { name: 'official v1', packages: ['@modelcontextprotocol/sdk'] },
  { name: 'fastmcp', packages: ['fastmcp'] },
  { name: 'mcp-lite', packages: ['mcp-lite'] },
  { name: 'tmcp', packages: ['tmcp', '@tmcp/adapter-zod', '@tmcp/transport-stdio', '@tmcp/transport-http'] },
];

function serveStdio(program, env) {
  return runServer(program, 'stdio', env, async ({ child }) => {
    await greetOverStdio(child);
    const { error } = await ask(child, messageOf(false, CALL, 1));
    if (error) throw new Error(`The bundle answered ${JSON.stringify(error)}`);
  });
}

function serveHttp(program, env) {
  return runServer(program, 'modern-json', env, async ({ port }) => {
    const { status } = await once(port, bytesOf({ mode: 'modern-json' }, CALL, 1));
    if (status !== 200) throw new Error(`The bundle answered ${status}`);
  });
}

/** Runs a server up to its first call; it ends when the driver leaves it. */
async function runServer(program, mode, env, call) {
  const server = await startServer(relative(bench, program), { mode, env });
  const ended = event(server.child, 'exit');
  await call(server);
  server.child.disconnect();
  await ended;
}

function callProgram(program, env) {
  return runClient(program, join(bench, 'floor/raw.mjs'), env);
}

async function callUrl(program, env) {
  const floor = await startServer('floor/raw.mjs', { mode: 'modern-json' });
  try {
    await runClient(program, `http://127.0.0.1:${floor.port}/mcp`, env);
  } finally {
    await floor.stop();
  }
}

async function runClient(program, target, env) {
  const child = spawn(process.execPath, [program, target], { env: { ...process.env, ...env }, stdio: 'inherit' });
  const [code] = await event(child, 'exit');
  if (code !== 0) throw new Error(`The client of a bundle ended with ${code}`);
}

/** Kilobytes of a program: what is loaded at its start, up to its first call, and the JSON Schema engine apart. */
function measure({ file, run }) {
  return bundled(file, async ({ program, chunks, env, loaded }) => {
    const start = chunks.filter(({ isLoadedAtStart }) => isLoadedAtStart);
    const engine = chunks.filter(({ importedFor }) => importedFor.some((file) => file.endsWith(ENGINE)));
    const figures = { 'KB at start': kilobytesOf(start) };
    if (!run) return figures;
    await run(program, env);
    return {
      ...figures,
      'KB with the first call': kilobytesOf(loaded()),
      'KB of the JSON Schema engine': engine.length > 0 ? kilobytesOf(engine) : undefined,
    };
  });
}

async function bundleTable(names, log) {
  log('Bundles');
  const rows = [];
  for (const program of PROGRAMS.filter(({ of }) => names.has(of))) {
    try {
      rows.push({ name: program.name, figures: await measure(program) });
    } catch (error) {
      if (program.of === 'mcpp') throw error;
      log(`${program.name} is left out: ${error.message.split('\n')[0]}`);
    }
  }
  return {
    title: 'Bundles of the smallest programs, minified and compressed',
    note: 'By esbuild, with all dependencies. At start is without what import() loads later; with the first call is what a process had loaded when a tool was called.',
    columns: ['KB at start', 'KB with the first call', 'KB of the JSON Schema engine'],
    rows,
    measured: [
      { mode: 'stdio server', measures: figuresOf(rows, STDIO) },
      { mode: 'client', measures: figuresOf(rows, CLIENT) },
    ],
  };
}

function installTable(names, log) {
  log('Installations');
  const row = (name, { bytes, packages }) => ({ name, figures: { MB: bytes / MEGABYTE, packages } });
  const rows = [
    ...(names.has('mcpp') ? [row('mcpp', installOfOurs())] : []),
    ...PACKAGES.filter(({ name, packages }) => names.has(name) && areInstalled(packages)).map(({ name, packages }) =>
      row(name, installOf(packages.map((each) => fileURLToPath(folderOf(each)).replace(/[\\/]$/, '')))),
    ),
  ];
  return {
    title: 'What npm installs',
    note: 'Server and client, for stdio and HTTP, as far as there is one: official v2 is three packages, tmcp four.',
    columns: ['MB', 'packages'],
    rows,
    measured: [{ mode: 'npm i mcpp', measures: figuresOf(rows, 'mcpp') }],
  };
}

export const section = {
  name: 'size',
  title: 'Size',
  async run({ candidates, log }) {
    const names = new Set(candidates.map(({ name }) => name));
    return { tables: [await bundleTable(names, log), installTable(names, log)] };
  },
};
