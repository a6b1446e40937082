// What `npm i` of a package brings: how many packages, and how many bytes their files have.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** This package as it is packed, and what it depends on. */
export function installOfOurs() {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  const packed = JSON.parse(execFileSync('npm', args, { ...options, shell: process.platform === 'win32' }));
  const [{ unpackedSize }] = packed;
  const others = closureOf(root);
  others.delete(root);
  return { packages: others.size + 1, bytes: unpackedSize + sum(others) };
}

/** Packages that are installed in a folder, and what they depend on. */
export function installOf(folders) {
  const all = new Set(folders.flatMap((folder) => [...closureOf(folder)]));
  return { packages: all.size, bytes: sum(all) };
}

/** The folders of a package and of everything that npm installs with it. */
function closureOf(first) {
  const found = new Set();
  const visit = (folder) => {
    if (found.has(folder)) return;
    found.add(folder);
    for (const name of neededBy(manifestOf(folder))) {
      const next = find(name, folder);
      if (next) visit(next);
    }
  };
  visit(first);
  return found;
}

/** Peers are installed, too, unless they are optional. */
function neededBy({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys(dependencies), ...peers];
}

/** Where a package is that is imported in a folder: in the nearest node_modules that has it. */
function find(name, folder) {
  const path = join(folder, 'node_modules', name);
  if (existsSync(join(path, 'package.json'))) return path;
  return dirname(folder) === folder ? undefined : find(name, dirname(folder));
}

const sum = (folders) => [...folders].reduce((bytes, folder) => bytes + bytesIn(folder), 0);

/** Without the packages in it, which count for themselves. */
function bytesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return bytesIn(path);
      return entry.isFile() ? statSync(path).size : 0;
    })
    .reduce((bytes, each) => bytes + each, 0);
}
