// Sends broken input to the server and the client for a while, and fails if one of them breaks a promise of SECURITY.md.
// `npm run fuzz`; `-- --seconds 600`, `-- --seed 7`, `-- --only http`, `-- --replay FILE`; fuzz/README.md has the rest.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { caseFromJson, caseToJson, shown } from '../fuzz/cases.mjs';
import { Lane } from '../fuzz/lane.mjs';
import { brokenServer } from '../fuzz/transports/client.mjs';
import * as http from '../fuzz/transports/http.mjs';
import * as sse from '../fuzz/transports/sse.mjs';
import * as stdio from '../fuzz/transports/stdio.mjs';
import * as websocket from '../fuzz/transports/websocket.mjs';

const fileAt = (path) => fileURLToPath(new URL(path, import.meta.url));
const SERVER = fileAt('../fuzz/server-program.mjs');
const CLIENT = fileAt('../fuzz/client-program.mjs');
const LANES = [
  { part: 'stdio', program: SERVER, transport: stdio },
  { part: 'http', program: SERVER, transport: http },
  { part: 'sse', program: SERVER, transport: sse },
  { part: 'websocket', program: SERVER, transport: websocket },
  ...['stdio', 'http', 'websocket'].map((over) => ({ part: 'client', program: CLIENT, transport: brokenServer(over) })),
];

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    only: { type: 'string' },
    replay: { type: 'string' },
    failures: { type: 'string', default: '1' },
    shrink: { type: 'string', default: '30' },
    program: { type: 'string' },
  },
});
const [seconds, failures, shrinkSeconds] = ['seconds', 'failures', 'shrink'].map(numberOf);
const seed = numberOf('seed') ?? (process.env.CI ? 20260728 : Math.floor(Math.random() * 2 ** 31));
const lanes = LANES.filter(({ part }) => values.only === undefined || part === values.only);
if (lanes.length === 0) throw new TypeError('--only is one of stdio, http, sse, websocket, client');
execFileSync(process.execPath, [fileAt('build.mjs'), '--if-changed'], { stdio: 'inherit' });

process.exitCode = values.replay ? await replay(values.replay) : await fuzz();
for (const { transport } of lanes) transport.close?.();

function numberOf(name) {
  const number = Number(values[name] ?? 0);
  if (!Number.isInteger(number) || number < 0) throw new TypeError(`--${name} must be an integer`);
  return values[name] === undefined ? undefined : number;
}

function laneOf({ transport, program }) {
  return new Lane(transport, values.program ?? program, seed, shrinkSeconds);
}

async function fuzz() {
  console.log(`seed ${seed}`);
  const deadline = Date.now() + seconds * 1000;
  const folder = join(tmpdir(), `mcpp-fuzz-${seed}-${process.pid}`);
  let failed = 0;
  const isOver = () => Date.now() > deadline || failed >= failures;
  const onFailure = (failure) => {
    failed++;
    report(failure, folder);
  };
  await Promise.all(lanes.map((one) => laneOf(one).run(isOver, onFailure).then(print)));
  console.log(failed === 0 ? 'ok' : `FAILED: ${failed} failures, seed ${seed}`);
  return failed === 0 ? 0 : 1;
}

function print({ name, cases, bytes, maxCpuMs }) {
  const megabytes = (bytes / 2 ** 20).toFixed(1);
  console.log(`${name}: ${cases} cases, ${megabytes} MB, at most ${maxCpuMs.toFixed(0)} ms of CPU time for one`);
}

function report({ lane, index, fault, one }, folder) {
  const file = join(folder, `${lane}-${index}.json`.replaceAll(/[ ,]+/g, '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, caseToJson({ lane, ...one }));
  const evidence = fault.evidence ? `  ${JSON.stringify(fault.evidence)}\n` : '';
  console.log(`\nFAILED ${lane}, seed ${seed}, case ${index}: ${fault.message}\n${evidence}${shown(one)}`);
  console.log(`  npm run fuzz -- --replay ${file}\n`);
}

async function replay(file) {
  const { lane: name, ...one } = caseFromJson(readFileSync(file, 'utf8'));
  const fault = await laneOf(LANES.find(({ transport }) => transport.name === name)).replay(one);
  console.log(fault ? `FAILED ${name}: ${fault.message}\n  ${JSON.stringify(fault.evidence)}` : 'ok');
  return fault ? 1 : 0;
}
