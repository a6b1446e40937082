// Measures this package beside a floor written by hand and other MCP libraries; prints tables and which bars are met.
// `npm run bench`, `-- http stdio` for some sections, `-- --quick` for fewer rounds, `-- --only mcpp,tmcp` for some candidates
// (the floor is always one). A run of full length over all candidates is written to bench/results.json, docs/benchmarks.md
// and docs/benchmarks.svg; `-- --write` writes any run. `-- compare <path or commit>` compares two builds of this package.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chartOf } from '../bench/chart.mjs';
import { withBars } from '../bench/judge.mjs';
import { asMarkdown, asText, missedBars, replaced, score } from '../bench/report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const resultsFile = join(root, 'bench/results.json');

/** In the order in which they are told. They are modules, because some need what is built and installed first. */
const SECTIONS = ['http', 'stdio', 'list', 'clients', 'payloads', 'start', 'memory', 'size', 'growth'];
const LENGTHS = { quick: { rounds: 5, seconds: 0.25 }, full: { rounds: 15, seconds: 0.5 } };

/** Installs the peers if they are not there, or not those of the lock file. */
function install() {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) =>
    join(root, 'bench', file),
  );
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: join(root, 'bench'), stdio: 'inherit', shell: process.platform === 'win32' });
}

function machine() {
  const all = cpus();
  return `${all[0]?.model.trim()}, ${all.length} cores, ${platform()} ${arch()}, Node ${process.version}`;
}

/** How many processes wanted to run during the last minute; more than a few tenths of one disturb what is measured. */
const load = () => Math.round(loadavg()[0] * 10) / 10;

/** Some of them, by name; ends, and says which names there are, if there is none with one of these. */
function chosen(what, all, names) {
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no ${what} ${unknown.join(', ')}, only ${all.join(', ')}`);
    process.exit(1);
  }
  return all.filter((name) => names.length === 0 || names.includes(name));
}

/** Keeps what was measured beside what is there of other sections, and writes it into the documentation. */
function keep(candidates, measured) {
  const kept = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')).sections : {};
  const known = SECTIONS.filter((name) => measured[name] ?? kept[name]);
  const sections = Object.fromEntries(known.map((name) => [name, measured[name] ?? kept[name]]));
  const results = {
    candidates: candidates.map(({ name, version, validates }) => ({ name, version, validates })),
    sections,
  };
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  execFileSync(process.execPath, [biome, 'format', '--write', resultsFile], { cwd: root, stdio: 'ignore' });
  const page = join(root, 'docs/benchmarks.md');
  writeFileSync(page, replaced(readFileSync(page, 'utf8'), asMarkdown(results)));
  const tables = Object.values(sections).flatMap((section) => section.tables);
  writeFileSync(join(root, 'docs/benchmarks.svg'), chartOf(tables));
  console.log('Kept in bench/results.json, docs/benchmarks.md and docs/benchmarks.svg');
}

/** Runs a section, and prints what it found. */
async function measure(name) {
  const { section } = await import(`../bench/sections/${name}.mjs`);
  const found = await section.run({ ...length, candidates, log });
  const tables = withBars(name, found.tables);
  console.log(`\n${section.title.toUpperCase()}`);
  for (const table of tables) console.log(asText(table));
  const date = new Date().toISOString().slice(0, 10);
  return { title: section.title, date, machine: machine(), loadBefore, command, ...length, tables };
}

const log = (text) => console.error(`${new Date().toLocaleTimeString('en-GB')}  ${text}`);

if (process.argv[2] === 'compare') {
  const { compare } = await import('../bench/compare/compare.mjs');
  console.log(machine());
  if (load() > 0.5) log(`The machine is busy (load ${load()}): the intervals will be wide`);
  try {
    await compare(root, process.argv.slice(3), log);
  } catch (error) {
    console.error(`compare FAILED: ${error.message}`);
    process.exitCode = 1;
  }
  process.exit();
}

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const names = chosen('section', SECTIONS, positionals);
const length = values.quick ? LENGTHS.quick : LENGTHS.full;
const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');

execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-changed'], { stdio: 'inherit' });
install();
const { CANDIDATES } = await import('../bench/candidates.mjs');
const only = values.only.split(',').filter(Boolean);
const wanted = chosen(
  'candidate',
  CANDIDATES.map(({ name }) => name),
  only,
);
const candidates = CANDIDATES.filter(({ name }) => name === 'floor' || wanted.includes(name));

console.log(`${machine()}; ${length.rounds} rounds of ${length.seconds} s`);
const loadBefore = load();
if (loadBefore > 0.5) log(`The machine is busy (load ${loadBefore}): the figures will be noisy`);
const measured = {};
for (const name of names) {
  try {
    measured[name] = await measure(name);
  } catch (error) {
    console.error(`${name} FAILED: ${error.stack}`);
    process.exitCode = 1;
  }
}
const tables = Object.values(measured).flatMap((section) => section.tables);
console.log(['', ...missedBars(tables), score(tables)].join('\n'));
if (values.write || (!values.quick && only.length === 0)) keep(CANDIDATES, measured);
