/** Skills on a server: a folder becomes resources, and there are methods that list and find them. */

import type { ClientExtension } from '../../entries/client.ts';
import type { ExtensionHandler, ExtensionRegistrar, ResourceConfig, ServerExtension } from '../../entries/server.ts';
import { quoted, SkillError } from './errors.ts';
import { type Library, readLibrary, type SkillSource } from './library.ts';
import { METHODS } from './methods.ts';
import { checkLimit, isObject, type SkillEntry, skillsClient } from './skill.ts';

/** Files by their paths, as in `{ 'pdf-processing/SKILL.md': '---\nname: pdf-processing\n...' }`. */
export type SkillFiles = Readonly<Record<string, string | Uint8Array>>;

/** Options of `skills`; none is needed. */
export interface SkillsOptions {
  /** How many bytes all files may have together: they are kept in memory. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** How long clients may keep what they list and read. Default: not at all. */
  readonly cache?: NonNullable<ResourceConfig['cache']>;
}

/** Skills, as a server takes them. */
export interface SkillsExtension extends ServerExtension, ClientExtension {
  /** What was found. */
  readonly skills: readonly SkillEntry[];
}

const MAX_TOTAL = 64 * 1024 * 1024;
const FIRST_WITH_CACHING = '2026-07-28';

/**
 * Skills of a folder, or of a record of files where there is no file system: every directory with a `SKILL.md`, also
 * within another. A relative path begins where the program was started, a URL need not. All of it is read and checked
 * now, and kept: what is served is what the digests are of, whatever becomes of the files. Rejects if one of the skills
 * breaks a rule.
 */
export async function skills(
  source: string | URL | SkillFiles,
  { maxBytes = MAX_TOTAL, cache = {} }: SkillsOptions = {},
): Promise<SkillsExtension> {
  checkLimit('maxBytes', maxBytes);
  const library = await readLibrary(await sourceOf(source), maxBytes);
  const hints = { ttlMs: 0, cacheScope: 'private', ...cache };
  const methods = [...METHODS].map(([name, method]): [string, ExtensionHandler] => [
    name,
    (params, { revision }) => {
      const result = method(library, params);
      return revision >= FIRST_WITH_CACHING ? { ...result, ...hints } : result;
    },
  ]);
  return {
    ...skillsClient,
    skills: [...library.entries.values()],
    server: {
      settings: { directoryRead: true },
      answers: 'everybody',
      methods: Object.fromEntries(methods),
      register: (server) => registerFiles(server, library, cache),
    },
  };
}

async function sourceOf(source: string | URL | SkillFiles): Promise<SkillSource> {
  if (typeof source === 'string' || source instanceof URL) {
    const { openFolder } = await import('#skill-folder');
    return openFolder(source);
  }
  if (!isObject(source)) throw new TypeError('skills needs a folder, or files by their paths');
  const files = new Map(Object.entries(source));
  return {
    place: 'the given files',
    paths: [...files.keys()],
    async read(path) {
      const content = files.get(path);
      if (typeof content === 'string') return new TextEncoder().encode(content);
      // Whoever gave it may write into it later.
      if (content instanceof Uint8Array) return new Uint8Array(content);
      throw new SkillError('invalid', `${quoted(path)} in the given files: it is neither text nor bytes`);
    },
  };
}

function registerFiles(
  server: ExtensionRegistrar,
  { entries, files }: Library,
  cache: NonNullable<ResourceConfig['cache']>,
): void {
  for (const [uri, file] of files) {
    if (!entries.has(uri)) continue;
    const { uri: _, ...shown } = file.resource;
    server.registerResource(uri, { ...shown, cache }, () => file.contents());
  }
  if (files.size === entries.size) return;
  const description = 'The files of the skills. Which there are, the entry of each skill says.';
  // They are looked up, and nothing is made of a URI: what was not found at the start is not there.
  server.registerResourceTemplate('skill://{+path}', { name: 'skill-files', description, cache }, (_, __, uri) =>
    files.get(uri)?.contents(),
  );
}
