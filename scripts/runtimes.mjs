// Runs the package on every runtime it is for: a smoke suite on Node, Bun, Deno and workerd, as server and as client, and the
// tests of the project on Node 24. Prints a table, and fails if anything does.
// `npm run runtimes`, `-- --all` for every test on Node 22 and 24, `-- bun` for the runtimes with that in their name.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install } from '../runtimes/binaries.mjs';
import { print, rowOf } from '../runtimes/outcomes.mjs';
import { RUNTIMES } from '../runtimes/rows.mjs';
import { stage } from '../runtimes/stage.mjs';
import { runSuite, suitesFor } from '../runtimes/suite.mjs';

const started = Date.now();
const seconds = () => ((Date.now() - started) / 1000).toFixed(0);
const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [only = ''] = positionals;

execFileSync(process.execPath, [fileURLToPath(new URL('build.mjs', import.meta.url)), '--if-changed'], {
  stdio: 'inherit',
});
install();

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpp-runtimes-')));
const rows = [];
try {
  await stage(folder);
  for (const [name, rowsOf] of RUNTIMES) {
    if (!name.includes(only)) continue;
    try {
      rows.push(...(await rowsOf(folder)));
    } catch (error) {
      rows.push(rowOf(name, [['start', String(error?.stack ?? error)]]));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (rows.length > 0) print(rows);
console.log(`\nThe smoke suite took ${seconds()} s`);

const suites = suitesFor(values, only);
const failed = suites.filter((name) => !runSuite(name, values));
const isOk = rows.length + suites.length > 0 && failed.length === 0 && rows.every(({ faults }) => faults.length === 0);
for (const name of failed) console.log(`The tests fail on ${name}`);
console.log(`${isOk ? 'ok' : 'FAILED'}, ${seconds()} s`);
process.exitCode = isOk ? 0 : 1;
