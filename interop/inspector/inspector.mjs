/** The official Inspector's command line and the example server: every method it has, over stdio and over HTTP. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NOT_OFFERED } from '../checks.mjs';
import { startServer } from '../program.mjs';
import { fewAtATime, Row } from '../row.mjs';
import { CASES, isMissing } from './cases.mjs';

export const title = 'The server and the command line of the official Inspector';

const here = fileURLToPath(new URL('.', import.meta.url));
const example = fileURLToPath(new URL('../../examples/inspector/server.mjs', import.meta.url));
const program = join(here, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const version = dependencies['@modelcontextprotocol/inspector'];
const RUN_MS = 30_000;
const COLUMN_MS = 5 * RUN_MS;
const ERAS = new Map([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', 'modern'],
]);
const LOOKS = ['stdio', 'http'].flatMap((over) =>
  [...ERAS.keys()].map((revision) => ({ name: `inspector ${version}, ${over}`, revision, over })),
);

/** A column is a method, which several cases may be about. */
const COLUMNS = new Map(CASES.map(({ args: [method] }) => [method, CASES.filter(({ args }) => args[0] === method)]));
export const columns = [...COLUMNS.keys()];

/** One row for each transport and era. */
export async function rows(isWanted) {
  const looks = LOOKS.filter(isWanted);
  if (looks.length === 0) return [];
  // It keeps what it knows of servers in the home folder.
  const home = mkdtempSync(join(tmpdir(), 'mcpp-inspector-'));
  const server = await startServer([example, '--http']);
  const targets = new Map([
    ['stdio', [process.execPath, example]],
    ['http', [`http://127.0.0.1:${server.port}/mcp`, '--transport', 'http']],
  ]);
  try {
    return await fewAtATime(2, looks, (look) => inspect(look, targets.get(look.over), home));
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function inspect({ name, revision }, target, home) {
  const lacks = columns.filter((column) => COLUMNS.get(column).every((one) => isMissing(one, revision)));
  const row = new Row({ name, revision, lacks });
  const ask = (args) => runInspector([...target, '--protocol-era', ERAS.get(revision), '--method', ...args], home);
  const checks = columns.map((column) => [
    column,
    async () => {
      for (const one of COLUMNS.get(column)) judge(one, revision, await ask(one.args));
      return lacks.includes(column) ? NOT_OFFERED : undefined;
    },
  ]);
  row.agree(revision);
  await row.check(new Map(checks), {}, COLUMN_MS);
  return row;
}

function judge(one, revision, { exitCode, stdout, stderr }) {
  const missing = isMissing(one, revision);
  const { code, error, result } = missing ? { code: 1, error: one.missing.says } : { code: 0, ...one };
  const seen = `${one.args.join(' ')} printed\n${stdout}${stderr}`;
  assert.equal(exitCode, code, `it ended with ${exitCode}, not ${code}: ${seen}`);
  if (error) assert.match(JSON.parse(stderr).error.message, error);
  else assert.equal(stderr, '', seen);
  if (result) result(JSON.parse(stdout).result, revision);
  else assert.equal(stdout, '', seen);
}

/** Runs it once. */
async function runInspector(args, home) {
  const child = spawn(node(), [program, '--cli', ...args, '--format', 'json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: home, USERPROFILE: home, NODE_COMPILE_CACHE: join(home, 'compiled') },
    timeout: RUN_MS,
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  }
  const exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  return { exitCode, ...output };
}

/** The Node it needs: that of its package, or the one that runs this where there is none and it is new enough. */
function node() {
  const { platform, arch, versions } = process;
  const system = platform === 'win32' ? 'win' : platform;
  const files = [`node-${system}-${arch}`, `node-bin-${system}-${arch}`].flatMap((name) =>
    ['node', 'node.exe'].map((file) => join(here, 'node_modules', name, 'bin', file)),
  );
  const found = files.find((file) => existsSync(file));
  if (found) return found;
  if (Number.parseInt(versions.node, 10) >= 22) return process.execPath;
  throw new Error(`The Inspector needs Node 22, and interop/inspector/package.json has none for ${platform} ${arch}`);
}
