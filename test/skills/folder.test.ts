/** Skills in a folder: what of it is served, and what of the rest of the disk is not. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openSkill, skills } from 'mcpp/extensions/skills';
import { McpServer } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolder } from '../../src/extensions/skills/node-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpp-skills-'));
  write('skills/hello/SKILL.md', '---\nname: hello\ndescription: Greets\n---\n\nSay hello.\n');
  write('skills/hello/greetings/German greeting.txt', 'Hallo!\n');
  write('secret.txt', 'secret');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

const uris = async (source: string | URL): Promise<string[]> =>
  (await skills(source)).skills
    .flatMap(({ resources }) => (resources === 'dynamic' ? [] : resources))
    .map(({ uri }) => uri);

test('a folder is given by its path or its URL', async () => {
  const expected = ['skill://hello/SKILL.md', 'skill://hello/greetings/German%20greeting.txt'];
  expect(await uris(join(folder, 'skills'))).toEqual(expected);
  expect(await uris(pathToFileURL(join(folder, 'skills')))).toEqual(expected);
  expect(await uris(pathToFileURL(join(folder, 'skills')).href)).toEqual(expected);
  expect(await uris(relative(process.cwd(), join(folder, 'skills')))).toEqual(expected);
  await expect(skills(undefined as never)).rejects.toThrow('skills needs a folder, or files by their paths');
});

test('what is hidden is left out, also links', async () => {
  write('skills/hello/.git/config', 'x');
  write('skills/.cache/other/SKILL.md', 'x');
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'skills/hello/.secret'));
  expect(await uris(join(folder, 'skills'))).toHaveLength(2);
});

test('links are refused, wherever they lead', async () => {
  const link = join(folder, 'skills/hello/link');
  for (const target of [join(folder, 'secret.txt'), folder, './SKILL.md', '..', 'nowhere']) {
    symlinkSync(target, link);
    await expect(skills(join(folder, 'skills'))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('"hello/link" in the folder'),
    });
    rmSync(link);
  }
  symlinkSync(join(folder, 'skills/hello'), join(folder, 'skills/again'));
  await expect(skills(join(folder, 'skills'))).rejects.toThrow('it is a symbolic link, and those are not followed');
});

test('what is no file is refused, and not waited for', async () => {
  execFileSync('mkfifo', [join(folder, 'skills/hello/pipe')]);
  await expect(skills(join(folder, 'skills'))).rejects.toThrow('it is neither a file nor a directory');
});

describe('what changes between looking and reading is refused:', () => {
  const greetings = 'skills/hello/greetings';
  const path = 'hello/greetings/German greeting.txt';

  test.each([
    [
      'a directory that becomes a link',
      () => {
        write('outside/German greeting.txt', 'secret');
        rmSync(join(folder, greetings), { recursive: true });
        symlinkSync(join(folder, 'outside'), join(folder, greetings));
      },
    ],
    [
      'a directory that moves, with a link in its place',
      () => {
        renameSync(join(folder, greetings), join(folder, 'moved'));
        symlinkSync(join(folder, 'moved'), join(folder, greetings));
      },
    ],
    [
      'a file that becomes a pipe',
      () => {
        rmSync(join(folder, 'skills', path));
        execFileSync('mkfifo', [join(folder, 'skills', path)]);
      },
    ],
    [
      'a file that becomes a directory',
      () => {
        rmSync(join(folder, 'skills', path));
        mkdirSync(join(folder, 'skills', path));
      },
    ],
  ])('%s', async (_, change) => {
    const source = await openFolder(join(folder, 'skills'));
    expect(source.paths).toContain(path);
    change();
    await expect(source.read(path)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('it was changed while it was read'),
    });
  });
});

test('the folder itself may be reached by a link: it is the one that was given', async () => {
  symlinkSync(join(folder, 'skills'), join(folder, 'link'));
  expect(await uris(join(folder, 'link'))).toHaveLength(2);
});

test('a file that is too large is refused before it is read', async () => {
  write('skills/hello/large.bin', '');
  // Nothing of it is on the disk.
  truncateSync(join(folder, 'skills/hello/large.bin'), 2 ** 36);
  await expect(skills(join(folder, 'skills'))).rejects.toThrow(
    'a skill has at most 16777216 bytes, this file alone 68719476736',
  );
});

test('a folder that is not there, is a file or is very deep is refused', async () => {
  await expect(skills(join(folder, 'none'))).rejects.toThrow('cannot be read: the system says ENOENT');
  await expect(skills(join(folder, 'secret.txt'))).rejects.toThrow('cannot be read: the system says ENOTDIR');
  write(`skills/${'d/'.repeat(33)}x`, '');
  await expect(skills(join(folder, 'skills'))).rejects.toThrow('it is more than 32 directories deep');
});

test('what becomes of the files does not change what is served', async () => {
  const server = new McpServer({ name: 'a', version: '1' }, { extensions: [await skills(join(folder, 'skills'))] });
  write('skills/hello/greetings/German greeting.txt', 'Tampered');
  rmSync(join(folder, 'skills/hello/SKILL.md'));
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'skills/hello/SKILL.md'));
  const client = await testClient(server);
  const skill = await openSkill(client, 'skill://hello/SKILL.md');
  expect(skill.instructions).toBe('\nSay hello.\n');
  expect(await skill.readText('greetings/German greeting.txt')).toBe('Hallo!\n');
  await client.close();
});
