/** The runtimes as programs: installed in the versions of the lock file, found for this machine. */

import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const { platform, arch } = process;

const BUN_ARCH = { x64: 'x64', arm64: 'aarch64' }[arch];
const BUN_SYSTEM = platform === 'win32' ? 'windows' : platform;
const DENO_SYSTEM = platform === 'linux' ? `linux-${arch}-glibc` : `${platform}-${arch}`;
const WORKERD_SYSTEM = `${BUN_SYSTEM}-${arch === 'x64' ? '64' : arch}`;
const NODE_SYSTEM = `${platform === 'win32' ? 'win' : platform}-${arch}`;

/** Where the packages have them, for this machine. */
const PLACES = new Map([
  ['node 22', `node-22-${NODE_SYSTEM}/bin/node`],
  ['node 24', `node-24-${NODE_SYSTEM}/bin/node`],
  ['bun', `@oven/bun-${BUN_SYSTEM}-${BUN_ARCH}/bin/bun`],
  ['deno', `@deno/${DENO_SYSTEM}/deno`],
  ['workerd', `@cloudflare/workerd-${WORKERD_SYSTEM}/bin/workerd`],
]);

/** Installs the runtimes if they are not there, or not those of the lock file. */
export function install() {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) => join(folder, file));
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  // The programs come with packages for one kind of machine each; no script of theirs is needed.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit', shell: platform === 'win32' });
}

/** The program; an error that says which file is missing if it was not installed. */
export function binaryOf(name) {
  const place = join(folder, 'node_modules', PLACES.get(name));
  const found = [place, `${place}.exe`].find((file) => existsSync(file));
  if (found) return found;
  throw new Error(`There is no ${name} for ${platform} ${arch}: npm installed no ${place}`);
}

/** Which one it is. */
export function versionOf(program) {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  return /\d+(?:[.-]\d+)+/.exec(text)?.[0] ?? text.trim();
}
