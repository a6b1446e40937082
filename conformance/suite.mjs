// The suite as a program: installed in the version of the lock file, run with the Node it needs.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Longer than any set takes; a client that hangs is ended long before. */
const ALL_MS = 240_000;

/** Installs the suite if it is not there, or not that of the lock file. */
export function install() {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) => join(folder, file));
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
}

/** The Node of this machine's package, or the one that runs this where there is none and it is new enough. */
function node() {
  const { platform, arch, versions } = process;
  const system = platform === 'win32' ? 'win' : platform;
  const names = [`node-${system}-${arch}`, `node-bin-${system}-${arch}`];
  const files = names.flatMap((name) =>
    ['node', 'node.exe'].map((file) => join(folder, 'node_modules', name, 'bin', file)),
  );
  const found = files.find((file) => existsSync(file));
  if (found) return found;
  if (Number.parseInt(versions.node, 10) >= 22) return process.execPath;
  throw new Error(`The conformance suite needs Node 22, and conformance/package.json has none for ${platform} ${arch}`);
}

/** Runs the suite; resolves with what it wrote once it ended by itself. That scenarios failed is no error here. */
export async function run(args, env = {}) {
  const child = spawn(node(), [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: ALL_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => {
      output += text;
    });
  }
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...how) => resolve(how));
  });
  if (code === 0 || code === 1) return output;
  throw new Error(`The suite ended with ${signal ?? code}: conformance ${args.join(' ')}\n${output}`);
}

/** The names of all scenarios of the suite for one leg. */
export async function scenarios(leg) {
  const output = await run(['list', `--${leg}`]);
  const names = [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  if (names.length === 0) throw new Error(`The suite lists no scenarios for a ${leg}:\n${output}`);
  return names;
}
