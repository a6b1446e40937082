// Talks to servers and clients of other MCP libraries, and has the official Inspector look at an example: prints what
// worked, and fails if anything did not that should, or the other way round.
// `npm run interop`, `-- stdio`, `-- http`, `-- apps`, `-- tasks`, `-- docs`, `-- inspector`, and with any of them or alone a part
// of a peer's name.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { print } from '../interop/table.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What there is to do; modules, because they need what is built and installed first. */
const PARTS = new Map([
  ['stdio', { folder: 'interop', tables: ['client-over-stdio', 'server-over-stdio'] }],
  ['http', { folder: 'interop', tables: ['client-over-http', 'server-over-http'] }],
  ['apps', { folder: 'interop', tables: ['apps'] }],
  ['tasks', { folder: 'interop', tables: ['tasks'] }],
  ['docs', { folder: 'interop', tables: ['docs'] }],
  ['inspector', { folder: 'interop/inspector', tables: ['inspector/inspector'] }],
]);

/** Installs the peers of a folder if they are not there, or not those of the lock file. */
function install(folder) {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) =>
    join(root, folder, file),
  );
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: join(root, folder), stdio: 'inherit', shell: process.platform === 'win32' });
}

const words = process.argv.slice(2);
const parts = words.filter((word) => PARTS.has(word));
const names = words.filter((word) => !PARTS.has(word));
const isWanted = ({ name, revision }) => names.every((part) => `${name} ${revision}`.includes(part));

execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-changed'], { stdio: 'inherit' });
let count = 0;
for (const part of parts.length > 0 ? parts : PARTS.keys()) {
  const { folder, tables } = PARTS.get(part);
  install(folder);
  for (const table of tables) {
    const { title, columns, rows } = await import(`../interop/${table}.mjs`);
    const done = await rows(isWanted);
    if (done.length === 0) continue;
    print(title, done, columns);
    count += done.length;
    if (done.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
  }
}
if (count === 0) {
  console.log(`There is nothing called ${words.join(' ')}`);
  process.exitCode = 1;
}
