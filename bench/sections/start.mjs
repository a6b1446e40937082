// From nothing to the first answer: how long a server takes to start, what importing costs, and the memory it then has.
import { spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figuresOf, rowsOf } from '../figures.mjs';
import { areInstalled } from '../installed.mjs';
import { ask } from '../load/stdio.mjs';
import { greetOverStdio, LIST, messageOf } from '../modes.mjs';
import { allRounds, inRounds } from '../rounds.mjs';
import { startServer } from '../server-process.mjs';

const BARE = 'bare Node';
const STUB = 'mcpp, a stub schema';
const MEGABYTE = 2 ** 20;
const pathOf = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));

/** Servers with one tool, each before the floor server that imports the same library. */
const SERVERS = [
  { name: STUB, of: 'mcpp', file: 'start/stub.mjs' },
  { name: 'mcpp, zod', of: 'mcpp', file: 'start/zod.mjs' },
  { name: 'floor that imports zod', of: 'floor', file: 'start/floor-with-zod.mjs' },
  { name: 'mcpp, plain JSON Schema', of: 'mcpp', file: 'start/json-schema.mjs' },
  { name: 'floor that imports the JSON Schema engine', of: 'floor', file: 'start/floor-with-engine.mjs' },
];

/** What is imported, all at once. */
const IMPORTS = [
  { name: BARE, of: 'floor', modules: [] },
  { name: 'mcpp/server', of: 'mcpp', modules: ['../dist/entries/server.js'] },
  {
    name: 'mcpp/server and mcpp/stdio',
    of: 'mcpp',
    modules: ['../dist/entries/server.js', '../dist/entries/stdio.js'],
  },
  { name: 'mcpp/server and mcpp/http', of: 'mcpp', modules: ['../dist/entries/server.js', '../dist/entries/http.js'] },
  { name: 'mcpp/client', of: 'mcpp', modules: ['../dist/entries/client.js'] },
  { name: 'zod', of: 'floor', modules: ['zod'] },
  { name: 'mcpp/server and zod', of: 'mcpp', modules: ['../dist/entries/server.js', 'zod'] },
  { name: 'the JSON Schema engine', of: 'mcpp', modules: ['../dist/schema/check/engine.js'] },
  { name: 'official v2, server', of: 'official v2', modules: ['@modelcontextprotocol/server'] },
  { name: 'official v2, client', of: 'official v2', modules: ['@modelcontextprotocol/client'] },
  { name: 'official v1, server', of: 'official v1', modules: ['@modelcontextprotocol/sdk/server/mcp.js'] },
  { name: 'official v1, client', of: 'official v1', modules: ['@modelcontextprotocol/sdk/client/index.js'] },
  { name: 'tmcp', of: 'tmcp', modules: ['tmcp'] },
  { name: 'fastmcp', of: 'fastmcp', modules: ['fastmcp'] },
  { name: 'mcp-lite', of: 'mcp-lite', modules: ['mcp-lite'] },
];
const packageOf = (module) =>
  module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
const isThere = ({ modules }) =>
  areInstalled(modules.filter((module) => !module.startsWith('.') && module !== 'zod').map(packageOf));

async function list(child) {
  await greetOverStdio(child);
  const { result, error } = await ask(child, messageOf(false, LIST, 1));
  if (!result?.tools?.length) throw new Error(`It answered tools/list with ${JSON.stringify(error)}`);
}

/** Milliseconds from the start of the process until it has listed its tools. */
async function coldStart(file) {
  const started = performance.now();
  const child = spawn(process.execPath, [pathOf(file)], {
    env: { ...process.env, NODE_ENV: 'production', MCP_MODE: 'stdio', TOOLS: '3' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = event(child, 'exit');
  try {
    await list(child);
    return performance.now() - started;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Resident memory of a process that does nothing, or that has just listed its tools. */
async function memoryAfterStart({ name, file }) {
  const server = await startServer(file, { mode: 'stdio' });
  try {
    if (name !== BARE) await list(server.child);
    const { memory } = await server.usage();
    return memory.rss / MEGABYTE;
  } finally {
    await server.stop();
  }
}

async function startTable(candidates, { rounds, log }) {
  log('Cold start');
  const names = new Set(candidates.map(({ name }) => name));
  const rows = [
    ...candidates
      .filter(({ name, modes }) => name !== 'mcpp' && modes.includes('stdio'))
      .map(({ name, file }) => ({ name, file })),
    ...SERVERS.filter(({ of }) => names.has(of)),
  ];
  const times = await allRounds(rows, rounds, async ({ file }) => ({ ms: await coldStart(file) }));
  const bare = { name: BARE, file: 'start/nothing.mjs' };
  const memory = await inRounds([bare, ...rows], Math.ceil(rounds / 3), async (each) => ({
    rss: await memoryAfterStart(each),
  }));
  const { rss: bareRss } = memory.get(bare);
  const rssOf = new Map([...memory].map(([{ name }, { rss }]) => [name, rss]));
  const table = rowsOf(new Map([...times].map(([{ name }, all]) => [name, all])), 'ms').map(({ name, figures }) => ({
    name,
    figures: { ...figures, 'RSS MB': rssOf.get(name), 'over bare Node MB': rssOf.get(name) - bareRss },
  }));
  return {
    title: 'Cold start: from the start of the process to its first tools/list, over stdio',
    note: `Servers named after mcpp have one tool, the others the tools of the other sections. RSS is that after the list; bare Node has ${bareRss.toFixed(1)} MB.`,
    columns: ['ms', 'toFloor', 'toOfficial', 'RSS MB', 'over bare Node MB'],
    rows: table,
    measured: [{ mode: 'stub schema', measures: figuresOf(table, STUB) }],
  };
}

/** Milliseconds until a process that only imports has ended. */
async function runToEnd(path) {
  const started = performance.now();
  const child = spawn(process.execPath, [path], { stdio: 'ignore', env: { ...process.env, NODE_ENV: 'production' } });
  const [code] = await event(child, 'exit');
  if (code !== 0) throw new Error(`${path} ended with ${code}`);
  return performance.now() - started;
}

const urlOf = (module) =>
  module.startsWith('.') ? new URL(`../${module}`, import.meta.url).href : import.meta.resolve(module);

async function importTable(candidates, { rounds, log }) {
  log('Imports');
  const names = new Set(candidates.map(({ name }) => name));
  const rows = IMPORTS.filter((row) => row.name === BARE || (names.has(row.of) && isThere(row)));
  const scratch = mkdtempSync(join(tmpdir(), 'mcpp-bench-'));
  try {
    const files = rows.map(({ name, modules }, index) => {
      const path = join(scratch, `${index}.mjs`);
      const text = modules.map((module) => `import '${urlOf(module)}';\n`).join('');
      // Some libraries begin something that would keep the process alive.
      writeFileSync(path, `${text}process.exit();\n`);
      return { name, path };
    });
    const found = await inRounds(files, rounds * 2, async ({ path }) => ({ ms: await runToEnd(path) }));
    const bare = found.get(files[0]).ms;
    const table = files.map((file) => ({
      name: file.name,
      figures: { ms: found.get(file).ms, 'over bare Node ms': found.get(file).ms - bare },
    }));
    return {
      title: 'Imports: a process that imports and ends',
      columns: ['ms', 'over bare Node ms'],
      rows: table,
      measured: [{ mode: 'import mcpp/server', measures: figuresOf(table, 'mcpp/server') }],
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export const section = {
  name: 'start',
  title: 'Start, imports and memory',
  async run(settings) {
    const { candidates } = settings;
    return { tables: [await startTable(candidates, settings), await importTable(candidates, settings)] };
  },
};
