// Runs the official conformance suite, in the version conformance/ has, against the server and the client of
// test/conformance, prints the score of each set of scenarios, and fails if anything is not as it should be.
// `npm run conformance`, `-- server`, `-- client`, `-- --scenario NAME`, or a leg and a scenario.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SETS } from '../conformance/expected.mjs';
import { buildPackage, bundle } from '../conformance/fixture.mjs';
import { judge } from '../conformance/results.mjs';
import { install, run, scenarios } from '../conformance/suite.mjs';
import { openTurns } from '../conformance/turns.mjs';

const CLIENT_MS = 240_000;

/** The sets that were asked for, with only the scenario that was asked for. */
function selected() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { scenario: { type: 'string' } },
  });
  const { scenario } = values;
  const sets = SETS.filter(({ leg }) => positionals.length === 0 || positionals.includes(leg));
  const wanted = scenario ? sets.filter(({ checks }) => checks.has(scenario)).map((set) => only(scenario, set)) : sets;
  if (wanted.length === 0) throw new Error('There is no such set or scenario; see conformance/expected.mjs');
  return wanted;
}

function only(scenario, set) {
  const selects = [['--scenario', scenario, '--spec-version', set.revision, '--force']];
  return { ...set, selects, checks: new Map([[scenario, set.checks.get(scenario)]]) };
}

/** Fails if the suite has scenarios nobody has decided about, or if something was decided about one it has not. */
async function checkNothingIsForgotten() {
  const offered = new Set([...(await scenarios('server')), ...(await scenarios('client'))]);
  const known = new Set(SETS.flatMap(({ checks }) => [...checks.keys()]));
  const without = (names, others) => [...names].filter((name) => !others.has(name));
  const [forgotten, gone] = [without(offered, known), without(known, offered)];
  if (forgotten.length > 0) throw new Error(`conformance/expected.mjs says nothing of: ${forgotten.join(', ')}`);
  if (gone.length > 0) throw new Error(`conformance/expected.mjs has what the suite has not: ${gone.join(', ')}`);
}

/** Starts the server on a port that is free. What it writes to stderr is kept: it has nothing to say there. */
async function startServer(program) {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const port = await new Promise((resolve, reject) => {
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      const found = /:(\d+)\/mcp\n/.exec(stdout);
      if (found) resolve(found[1]);
    });
    void ended.then((code) => reject(new Error(`The server ended with ${code}\n${stderr}`)));
  });
  return {
    url: `http://localhost:${port}/mcp`,
    get complaints() {
      const end = child.exitCode ?? child.signalCode;
      return end === null ? stderr : `${stderr}The server ended with ${end}\n`;
    },
    async stop() {
      child.kill();
      await ended;
    },
  };
}

async function runServerSet(set, folder, server) {
  for (const select of set.selects) await run(['server', '--url', server.url, ...select, '-o', folder]);
  return judge(set, folder);
}

async function runClientSet(set, folder, program) {
  const turns = await openTurns((scenario) => !set.checks.has(scenario));
  try {
    const wrapper = fileURLToPath(new URL('../conformance/run-client.mjs', import.meta.url));
    const command = `"${process.execPath}" "${wrapper}"`;
    const env = { MCPP_CONFORMANCE_TURNS: String(turns.port), MCPP_CONFORMANCE_CLIENT: program };
    for (const select of set.selects) {
      await run(['client', '--command', command, '--timeout', String(CLIENT_MS), ...select, '-o', folder], env);
    }
    return judge(set, folder, turns.outcomes);
  } finally {
    turns.close();
  }
}

const nameOf = ({ leg, revision, extension }) => [leg, revision, ...(extension ? [extension] : [])].join(' ');

function print(set, { score, faults }) {
  const row = [
    nameOf(set).padEnd(24),
    `${score.scenarios}/${score.of} scenarios`.padStart(15),
    `${score.passed}/${score.checks} checks`.padStart(14),
  ];
  console.log(row.join('  '));
  for (const { scenario, found, output } of faults) {
    console.log(`  ${scenario}`);
    for (const fault of found) console.log(`    ${fault}`);
    if (output) console.log(output.replaceAll(/^/gm, '    | '));
  }
}

const started = Date.now();
const sets = selected();
buildPackage();
install();
await checkNothingIsForgotten();
const scratch = mkdtempSync(join(tmpdir(), 'mcpp-conformance-'));
const needs = (leg) => sets.some((set) => set.leg === leg);
let server;
try {
  if (needs('server')) server = await startServer(await bundle('server', scratch));
  const client = needs('client') && (await bundle('client', scratch));
  for (const set of sets) {
    const folder = join(scratch, nameOf(set).replaceAll(' ', '-'));
    mkdirSync(folder);
    const verdict =
      set.leg === 'server' ? await runServerSet(set, folder, server) : await runClientSet(set, folder, client);
    print(set, verdict);
    if (verdict.faults.length > 0) process.exitCode = 1;
  }
  if (server?.complaints) {
    console.log(`The server said:\n${server.complaints}`);
    process.exitCode = 1;
  }
} finally {
  await server?.stop();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${process.exitCode ? 'FAILED' : 'ok'}, ${((Date.now() - started) / 1000).toFixed(1)} s`);
