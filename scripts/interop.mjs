// Talks to servers of other MCP libraries, and to this package pinned to each revision, as a client with no options:
// prints what worked, and fails if anything did not that should, or the other way round. `npm run interop -- [name]`
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'interop');
const STEP_MS = 15_000;
const ALL_MS = 100_000;

execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-changed'], { stdio: 'inherit' });
install();
const end = Date.now() + ALL_MS;
const { connect } = await import('../dist/entries/client.js');
const { CHECKS, NOT_OFFERED } = await import('../interop/checks.mjs');
const { PEERS } = await import('../interop/peers.mjs');
const { ANSWERS } = await import('../interop/sets.mjs');

/** Installs the peers if they are not there, or not those of the lock file. */
function install() {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) => join(folder, file));
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
}

/** What a step gives, or an error if it takes too long, or all of them together do. */
async function inTime(step) {
  const patience = Math.max(0, Math.min(STEP_MS, end - Date.now()));
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing happened within ${patience} ms`)), patience);
  });
  try {
    return await Promise.race([step(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One row: every check, each with its cell, and what went wrong. */
async function talkTo(peer) {
  const cells = new Map();
  const faults = [];
  const fail = (column, error) => {
    cells.set(column, 'FAILED');
    faults.push(`${column}: ${error?.stack ?? error}`);
  };
  const pidFile = join(scratch, String(PEERS.indexOf(peer)));
  const target = {
    command: process.execPath,
    args: ['--import', new URL('../interop/pid.mjs', import.meta.url).href, ...peer.args],
    env: { MCPP_INTEROP_PID: pidFile },
  };
  let stderr = '';
  const listening = {
    onError: (error) => fail('onError', error),
    stderr: (text) => {
      stderr += text;
    },
  };
  let mcp;
  try {
    mcp = await inTime(() => connect(target, { ...ANSWERS, ...listening, ...peer.options }));
    if (mcp.revision !== peer.revision) fail('revision', `${mcp.revision} was agreed on, not ${peer.revision}`);
    const { tools } = await inTime(() => mcp.listTools());
    const pid = Number(readFileSync(pidFile, 'utf8'));
    const about = { mcp, set: peer.set, pid, tools: new Map(tools.map((tool) => [tool.name, tool])) };
    for (const [column, check] of CHECKS) {
      try {
        const cell = (await inTime(async () => check(about))) === NOT_OFFERED ? '-' : 'ok';
        const wanted = peer.lacks.includes(column) ? '-' : 'ok';
        if (cell === wanted) cells.set(column, cell);
        else fail(column, `it is "${cell}"; interop/peers.mjs says "${wanted}"`);
      } catch (error) {
        fail(column, error);
      }
    }
  } catch (error) {
    fail('connect', error);
  } finally {
    await mcp?.close().catch(() => {});
    if (cells.get('close') !== 'ok') stop(pidFile);
  }
  if (faults.length > 0 && stderr !== '') faults.push(`stderr:\n${stderr}`);
  return { peer, revision: mcp?.revision ?? 'FAILED', cells, faults };
}

/** Ends a peer that is still there: it must not outlive the script, whatever went wrong. */
function stop(pidFile) {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  } catch {
    // It is gone, or was never there.
  }
}

function print(rows) {
  const columns = [...CHECKS.keys()];
  const width = Math.max(...rows.map(({ peer }) => peer.name.length));
  const line = (name, revision, cells) =>
    [name.padEnd(width), revision.padEnd(10), ...cells.map((cell, index) => cell.padEnd(widths[index]))].join('  ');
  const widths = columns.map((column) => Math.max(column.length, 'FAILED'.length));
  console.log(line('', 'revision', columns));
  for (const { peer, revision, cells } of rows) {
    console.log(
      line(
        peer.name,
        revision,
        columns.map((column) => cells.get(column) ?? 'FAILED'),
      ),
    );
  }
  for (const { peer, revision, faults } of rows) {
    for (const fault of faults) console.log(`\n${peer.name} (${revision}), ${fault}`);
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'mcpp-interop-'));
try {
  const [only = ''] = process.argv.slice(2);
  const rows = [];
  for (const peer of PEERS.filter(({ name, revision }) => `${name} ${revision}`.includes(only)))
    rows.push(await talkTo(peer));
  print(rows);
  if (rows.length === 0 || rows.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
