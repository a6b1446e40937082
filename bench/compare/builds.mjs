// Two builds of the package in a temporary folder: `old` is a checkout, a dist folder or a commit, `new` the working tree. Each
// has its own dist/; both have the benchmark of the working tree, so that only the builds differ.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
/** A file that every build has, within dist/. */
const ENTRY = 'entries/server.js';
/** The programs of the benchmark that call mcpp in the compared modes. */
const PROGRAMS = ['servers/mcpp.mjs', 'clients/mcpp.mjs'];
/** A process group of its own can be ended with all its children. */
const hasGroups = process.platform !== 'win32';

/**
 * Prepares both builds, passes the folders `{ old, new }` to `use`, and removes them, also when a signal ends this process.
 * Both are copies, so that files may change during the run. `other` is a folder or a commit (see `otherBuild`).
 */
export async function withBuilds(root, other, { hasOwnPrograms }, log, use) {
  const folder = mkdtempSync(join(tmpdir(), 'mcpp-compare-'));
  const folders = { old: join(folder, 'old'), new: join(folder, 'new') };
  const checkout = join(folder, 'checkout');
  const builds = new Set();
  const clean = () => {
    for (const child of builds) end(child);
    if (other.commit) spawnSync('git', ['worktree', 'remove', '--force', checkout], { cwd: root, stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  process.once('exit', clean);
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      log(`Ended by ${signal}`);
      process.exit(code);
    });
  }
  try {
    if (other.commit) {
      log(`Building ${other.commit}`);
      execFileSync('git', ['worktree', 'add', '--detach', '--quiet', checkout, other.commit], { cwd: root });
      linkPackages(root, checkout);
      await build(checkout, [], builds);
    }
    const dist = other.dist ?? join(checkout, 'dist');
    copyBuild(root, dist, folders.old);
    if (hasOwnPrograms) copyPrograms(join(dirname(dist), 'bench'), join(folders.old, 'bench'));
    log('Building the working tree');
    await build(root, ['--if-changed'], builds);
    copyBuild(root, join(root, 'dist'), folders.new);
    return await use(folders);
  } finally {
    process.off('exit', clean);
    clean();
  }
}

/**
 * Returns `{ dist }` for the path of a checkout that is built or of a dist folder, and `{ commit }` for a commit of this
 * repository; throws if `name` is none of these.
 */
export function otherBuild(root, name) {
  const path = resolve(name);
  const dist = [path, join(path, 'dist')].find((folder) => existsSync(join(folder, ENTRY)));
  if (dist) return { dist };
  if (existsSync(join(path, 'package.json'))) throw new Error(`${path} has no dist/${ENTRY}: run npm run build there`);
  return { commit: resolveCommit(root, name) };
}

/** Returns the hash of a commit, or throws with the message of git. */
function resolveCommit(root, name) {
  const args = ['rev-parse', '--verify', '--short=10', '--end-of-options', `${name}^{commit}`];
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${name} is neither a checkout, a dist folder nor a commit of this repository: ${stderr.trim()}`);
  }
  return stdout.trim();
}

async function build(folder, args, builds) {
  const child = spawn(process.execPath, ['scripts/build.mjs', ...args], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: hasGroups,
  });
  builds.add(child);
  const [code, signal] = await once(child, 'exit');
  builds.delete(child);
  if (code !== 0) throw new Error(`The build in ${folder} ended with ${code ?? signal}`);
}

function end(child) {
  try {
    if (hasGroups) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Links each package, not the folder: the build keeps a cache in node_modules, which must not be shared. */
function linkPackages(root, folder) {
  mkdirSync(join(folder, 'node_modules'));
  const names = readdirSync(join(root, 'node_modules')).filter((name) => !/^\.(cache|vite)/.test(name));
  for (const name of names) link(join(root, 'node_modules', name), join(folder, 'node_modules', name));
}

/**
 * Copies a dist folder and the benchmark of the working tree, whose programs load `../../dist`. package.json is that beside
 * the dist folder, since its `imports` belong to the build, or else that of the working tree.
 */
function copyBuild(root, dist, folder) {
  mkdirSync(folder);
  const beside = dirname(dist);
  const isCheckout = existsSync(join(beside, 'package.json'));
  cpSync(join(isCheckout ? beside : root, 'package.json'), join(folder, 'package.json'));
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  const peers = join(root, 'bench/node_modules');
  cpSync(join(root, 'bench'), join(folder, 'bench'), { recursive: true, filter: (path) => path !== peers });
  const packages = join(beside, 'node_modules');
  link(existsSync(packages) ? packages : join(root, 'node_modules'), join(folder, 'node_modules'));
  // zod is one of these packages: both builds must load the same one.
  if (existsSync(peers)) link(peers, join(folder, 'bench/node_modules'));
}

/** Replaces the programs that call mcpp by those of another checkout, which fit its API. */
function copyPrograms(from, to) {
  for (const file of PROGRAMS) {
    if (!existsSync(join(from, file)))
      throw new Error(`${join(from, file)} does not exist: --own-programs needs a checkout`);
    cpSync(join(from, file), join(to, file));
  }
}

function link(target, path) {
  symlinkSync(target, path, 'junction');
}
