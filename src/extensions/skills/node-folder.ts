/** Skills in a folder of the file system. */

import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoted, SkillError } from './errors.ts';
import type { SkillSource } from './library.ts';
import { MAX_BYTES } from './skill.ts';

const MAX_NAMES = 100_000;
const MAX_DEPTH = 32;

/** Looks through a folder. Hidden files are passed over, and links are refused: what is served is what is in there. */
export async function openFolder(folder: string | URL): Promise<SkillSource> {
  const given = folder instanceof URL ? fileURLToPath(folder) : folder;
  const place = `the folder ${quoted(given)}`;
  const root = await realpath(given).catch((error: unknown) => {
    throw new SkillError('invalid', `The skills in ${place} cannot be read: the system says ${codeOf(error)}`);
  });
  const refuse = (path: string, fault: string): SkillError =>
    new SkillError('invalid', `${quoted(path)} in ${place}: ${fault}`);
  const paths: string[] = [];
  let names = 0;

  async function look(directory: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) throw refuse(directory, `it is more than ${MAX_DEPTH} directories deep`);
    const found = await readdir(join(root, directory), { withFileTypes: true }).catch((error: unknown) => {
      throw refuse(directory, `it cannot be read: the system says ${codeOf(error)}`);
    });
    for (const entry of found) {
      if (++names > MAX_NAMES) throw refuse(directory, `there are more than ${MAX_NAMES} files`);
      if (entry.name.startsWith('.')) continue;
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory()) await look(path, depth + 1);
      else if (entry.isFile()) paths.push(path);
      else if (entry.isSymbolicLink()) throw refuse(path, 'it is a symbolic link, and those are not followed');
      else throw refuse(path, 'it is neither a file nor a directory');
    }
  }

  async function read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    try {
      const handle = await open(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const { size } = await handle.stat();
        if (size > MAX_BYTES) throw refuse(path, `a skill has at most ${MAX_BYTES} bytes, this file alone ${size}`);
        return new Uint8Array(await handle.readFile());
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (error instanceof SkillError) throw error;
      throw refuse(path, `it cannot be read: the system says ${codeOf(error)}`);
    }
  }

  await look('', 0);
  return { place, paths, read };
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? 'nothing';
}
