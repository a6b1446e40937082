// Two builds of the package in a temporary folder: of a commit, in a git worktree, and of the working tree. Each has its own
// dist/ and its own server of the benchmark, which fits its API; both use the node_modules of this checkout.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
/** A process group of its own can be ended with all its children. */
const hasGroups = process.platform !== 'win32';

/**
 * Builds both, hands the folders `{ old, new }` to `use`, and removes them, also when a signal ends this process. The build
 * of the working tree is copied, so that files may change during the run.
 */
export async function withBuilds(root, commit, log, use) {
  const folder = mkdtempSync(join(tmpdir(), 'mcpp-compare-'));
  const folders = { old: join(folder, 'old'), new: join(folder, 'new') };
  const builds = new Set();
  const clean = () => {
    for (const child of builds) end(child);
    spawnSync('git', ['worktree', 'remove', '--force', folders.old], { cwd: root, stdio: 'ignore' });
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
    log(`Building ${commit}`);
    execFileSync('git', ['worktree', 'add', '--detach', '--quiet', folders.old, commit], { cwd: root });
    linkPackages(root, folders.old);
    await build(folders.old, [], builds);
    log('Building the working tree');
    await build(root, ['--if-changed'], builds);
    copyBuild(root, folders.new);
    return await use(folders);
  } finally {
    process.off('exit', clean);
    clean();
  }
}

/** Returns the hash of a commit, or throws with what git says. */
export function resolveCommit(root, name) {
  const args = ['rev-parse', '--verify', '--short=10', '--end-of-options', `${name}^{commit}`];
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} is not a commit of this repository: ${stderr.trim()}`);
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
  linkPeers(root, folder);
}

function copyBuild(root, folder) {
  const isPeer = (path) => path === join(root, 'bench/node_modules');
  for (const name of ['package.json', 'dist', 'bench']) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !isPeer(path) });
  }
  link(join(root, 'node_modules'), join(folder, 'node_modules'));
  linkPeers(root, folder);
}

/** The packages of bench/, if they are installed: zod is one, and both servers have to load the same. */
function linkPeers(root, folder) {
  const peers = join(root, 'bench/node_modules');
  if (existsSync(peers)) link(peers, join(folder, 'bench/node_modules'));
}

function link(target, path) {
  symlinkSync(target, path, 'junction');
}
