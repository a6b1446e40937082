import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'mcpp-dockerfile-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** One stage of the image: a folder that stands for its file system. */
interface Stage {
  readonly folder: string;
  workdir: string;
  user: string;
  entrypoint: readonly string[];
}

/** Carries out the instructions of a Dockerfile in folders, without Docker; an instruction it does not know fails. */
function build(dockerfile: string): Stage {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [instruction, rest] of instructions(dockerfile)) {
    if (instruction === 'FROM') {
      const name = / AS (\S+)$/.exec(rest)?.[1] ?? 'last';
      stage = { folder: join(scratch, name), workdir: '/', user: 'root', entrypoint: [] };
      stages.set(name, stage);
      continue;
    }
    if (!stage) throw new Error(`${instruction} before FROM`);
    if (instruction === 'WORKDIR') {
      stage.workdir = rest;
      mkdirSync(join(stage.folder, rest), { recursive: true });
    } else if (instruction === 'COPY') copy(stage, stages, rest);
    else if (instruction === 'RUN') {
      const cwd = join(stage.folder, stage.workdir);
      execFileSync('sh', ['-ec', rest === 'npm ci' ? installedIn(cwd) : rest], {
        cwd,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    } else if (instruction === 'USER') stage.user = rest;
    else if (instruction === 'ENTRYPOINT') stage.entrypoint = JSON.parse(rest) as string[];
    else throw new Error(`Unknown instruction ${instruction}`);
  }
  if (!stage) throw new Error('The Dockerfile has no FROM');
  return stage;
}

// `npm ci` would install the packages that this test runs with.
function installedIn(folder: string): string {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return 'true';
}

function copy(stage: Stage, stages: ReadonlyMap<string, Stage>, rest: string): void {
  const words = rest.split(/\s+/);
  const from = words[0]?.startsWith('--from=') ? stages.get(words.shift()?.slice(7) ?? '')?.folder : root;
  const target = words.pop() ?? '';
  for (const source of words) {
    const path = join(from ?? '', source);
    const place = join(stage.folder, stage.workdir, target);
    cpSync(path, statSync(path).isDirectory() ? place : join(place, basename(source)), { recursive: true });
  }
}

function instructions(text: string): [string, string][] {
  const lines = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]);
}

test('the steps of the Dockerfile give a small image whose server answers', { timeout: 180_000 }, () => {
  const image = build(readFileSync(join(root, 'examples/hello/Dockerfile'), 'utf8'));
  const app = join(image.folder, image.workdir);
  const [command = '', ...args] = image.entrypoint;
  const input = `{"jsonrpc":"2.0","id":0,"method":"ping"}\n`;
  const { stdout, status } = spawnSync(command, args, { cwd: app, input, encoding: 'utf8' });

  expect(stdout).toBe('{"jsonrpc":"2.0","id":0,"result":{}}\n');
  expect(status).toBe(0);
  expect(image.user).toBe('node');
  const installed = execFileSync('ls', ['node_modules'], { cwd: app, encoding: 'utf8' });
  expect(installed.trim().split('\n')).toEqual(['jose', 'mcpp', 'oauth4webapi']);
});
