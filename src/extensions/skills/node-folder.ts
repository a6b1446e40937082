/** `openFolder` for Node: reads skills from a directory. */

import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoted, SkillError } from './errors.ts';
import type { SkillSource } from './library.ts';
import { MAX_BYTES } from './skill.ts';

const MAX_NAMES = 100_000;
const MAX_DEPTH = 32;
const CHANGED = 'it was changed while it was read';

/** Lists the files of a directory. Skips dotfiles, and rejects symbolic links, because they can lead out of the directory. */
export async function openFolder(folder: string | URL): Promise<SkillSource> {
  const given = folder instanceof URL || folder.startsWith('file:') ? fileURLToPath(folder) : folder;
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
    const file = join(root, path);
    try {
      const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const found = await handle.stat();
        // Checks again for symbolic links, because the path can have changed since the directory was listed (TOCTOU).
        const isInside = (await realpath(file)) === file && (await lstat(file)).ino === found.ino;
        if (!found.isFile() || !isInside) throw refuse(path, CHANGED);
        if (found.size > MAX_BYTES) {
          throw refuse(path, `a skill has at most ${MAX_BYTES} bytes, this file alone ${found.size}`);
        }
        const bytes = await readBytes(handle, found.size);
        if (!bytes) throw refuse(path, CHANGED);
        return bytes;
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

/** Reads a file of the expected size, and at most one byte more. Returns undefined if the file has another size. */
async function readBytes(handle: FileHandle, size: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new Uint8Array(size + 1);
  let length = 0;
  while (length <= size) {
    const { bytesRead } = await handle.read(bytes, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length === size ? bytes.subarray(0, size) : undefined;
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? 'nothing';
}
