/** `skills`: serves a folder of skills as resources, with methods that list the skills. */

import type { ClientExtension } from '../../entries/client.ts';
import type { ExtensionHandler, ExtensionRegistrar, ResourceConfig, ServerExtension } from '../../entries/server.ts';
import { quoted, SkillError } from './errors.ts';
import { type Library, readLibrary, type SkillSource } from './library.ts';
import { METHODS } from './methods.ts';
import { checkLimit, isObject, type SkillEntry, skillsClient } from './skill.ts';

/** Contents of files by path, as in `{ 'pdf-processing/SKILL.md': '---\nname: pdf-processing\n...' }`. */
export type SkillFiles = Readonly<Record<string, string | Uint8Array>>;

/** Options of `skills`. */
export interface SkillsOptions {
  /** Maximum size of all files together, in bytes. Files are kept in memory. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** How long clients may cache lists and files. Default: no caching. */
  readonly cache?: NonNullable<ResourceConfig['cache']>;
}

/** Return value of `skills`, for the option `extensions` of a server. */
export interface SkillsExtension extends ServerExtension, ClientExtension {
  /** Entries of all skills of the source. */
  readonly skills: readonly SkillEntry[];
}

const MAX_TOTAL = 64 * 1024 * 1024;
const FIRST_WITH_CACHING = '2026-07-28';

/**
 * Reads all skills of a folder, or of a record of files: every directory with a `SKILL.md`, at any depth. Relative paths start
 * at the working directory. All files are validated and kept in memory, so that served files always match their digests.
 * Rejects with a `SkillError` if a skill is invalid.
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
      availableTo: 'all',
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
      // A copy, because the caller can modify its array later.
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
  // URIs are looked up in a map and never converted to file paths, so path traversal is impossible.
  server.registerResourceTemplate('skill://{+path}', { name: 'skill-files', description, cache }, (_, __, uri) =>
    files.get(uri)?.contents(),
  );
}
