/** The tests of the project on other versions of Node. */

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binaryOf, versionOf } from './binaries.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where they can run; on the Node of this machine all of them run anyway. */
const SUITES = ['node 22', 'node 24'];
/** Where they run if nothing else is asked for: what differs between two versions differs most to the newest. */
const USUAL = 'node 24';

/** Where they are to run: on all with `--all`, or on those with this in their name. */
export function suitesFor({ all }, only) {
  return SUITES.filter((name) => (only === '' ? all || name === USUAL : name.includes(only)));
}

/** What is left out unless everything is asked for: what takes long for what can depend on the version of Node. */
const FOLDERS = new Map([
  ['test/alone/', 'promises about time and memory'],
  ['test/hostile/bounds/', 'the same'],
  ['test/fuzz/', 'the fuzzer, which starts processes'],
  ['test/stdio/', 'other processes, and how they end'],
  ['src/transport/stdio/', 'the same'],
  ['test/hello/', 'the example, as a process and as an image'],
  ['test/docs/', 'snippets, each a process of its own'],
  ['test/types/', 'the compiler'],
  ['test/oracle/', 'functions of JSON'],
  ['src/protocol/', 'the same'],
  ['src/schema/', 'the same'],
  ['src/server/', 'what goes on within memory'],
  ['src/client/', 'the same'],
  ['src/extensions/', 'the same'],
  ['test/client-transcripts/', 'the same'],
  ['test/extensions/', 'the same'],
  ['test/tasks-client/', 'the same'],
  ['test/apps/', 'the same'],
]);
const NAMES = new Map([['over stdio', 'transcripts with other processes']]);

/** Runs them; true if all of them passed. */
export function runSuite(name, { all }) {
  const program = binaryOf(name);
  console.log(`\nThe tests on node ${versionOf(program)}${all ? '' : ', without (see --all)'}`);
  const { status } = spawnSync(
    program,
    ['node_modules/vitest/vitest.mjs', 'run', '--reporter=minimal', ...(all ? [] : selected())],
    { cwd: root, stdio: 'inherit' },
  );
  return status === 0;
}

function selected() {
  for (const [left, about] of [...FOLDERS, ...NAMES]) console.log(`  ${left.padEnd(22)}${about}`);
  const isLeftOut = (file) => [...FOLDERS.keys()].some((folder) => file.startsWith(folder));
  const files = [...testsIn('src'), ...testsIn('test')].filter((file) => !isLeftOut(file));
  return [...files, '--testNamePattern', `^(?!${[...NAMES.keys()].join('|')})`];
}

function testsIn(folder) {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.test.ts')).map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
}
