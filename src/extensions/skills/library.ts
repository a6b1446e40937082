/** In-memory library of the skills of a server. `skills()` reads, validates and hashes all files once. */

import type { Resource, ResourceContents } from '../../entries/mcpp.ts';
import { toBase64 } from './base64.ts';
import { quoted, SkillError } from './errors.ts';
import { hasRounded, readFrontmatter } from './frontmatter.ts';
import { kindOf, textOf } from './media-types.ts';
import { encodePath } from './paths.ts';
import {
  digestOf,
  frontmatterFault,
  MAX_BYTES,
  MAX_FILES,
  SKILL_MD,
  type SkillEntry,
  type SkillFrontmatter,
  type SkillResource,
} from './skill.ts';

/** Source of skill files: a folder, or a record of files. */
export interface SkillSource {
  /** Description of the source for error messages. */
  readonly place: string;
  /** Paths of all files, relative to the source, with `/` as separator. */
  readonly paths: readonly string[];
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** A file of a skill: metadata for lists, and contents for `resources/read`. */
export interface LibraryFile {
  readonly resource: Resource;
  contents(): ResourceContents;
}

/** All skills of a server, in maps by URI. Requests are answered from these maps only, so no URI can reach other files. */
export interface Library {
  readonly entries: ReadonlyMap<string, SkillEntry>;
  readonly files: ReadonlyMap<string, LibraryFile>;
  /** Children of each directory, by URI of the directory, without a trailing slash. */
  readonly directories: ReadonlyMap<string, readonly Resource[]>;
}

interface ReadFile {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly listed: Required<SkillResource>;
}

/** Reads all skills of a source. Rejects with a `SkillError` if a skill is invalid, or all files exceed `maxBytes`. */
export async function readLibrary(source: SkillSource, maxBytes: number): Promise<Library> {
  const places = placesOf(source);
  const read = await readAll(source, new Set([...places.values()].flat()), maxBytes);
  const entries = new Map<string, SkillEntry>();
  for (const [directory, paths] of places) {
    const files = paths.flatMap((path) => read.get(path) ?? []);
    const entry = await entryOf(source, directory, files);
    entries.set(entry.uri, entry);
  }
  const files = new Map<string, LibraryFile>();
  for (const file of read.values()) files.set(file.listed.uri, libraryFile(file, entries.get(file.listed.uri)));
  return { entries, files, directories: directoriesOf(source, files) };
}

/** Returns the directories that contain a `SKILL.md`, with all files below. Files of a nested skill belong to both skills. */
function placesOf(source: SkillSource): ReadonlyMap<string, readonly string[]> {
  const paths = source.paths.filter((path) => !isHidden(path)).toSorted();
  const found = new Map<string, string[]>();
  for (const path of paths) {
    if (path === SKILL_MD) {
      throw invalid(source, path, 'a skill is a directory of its own below this one; serve the one above instead');
    }
    if (path.endsWith(`/${SKILL_MD}`)) found.set(path.slice(0, -SKILL_MD.length - 1), []);
  }
  for (const path of paths) {
    for (const directory of directoriesAbove(path)) found.get(directory)?.push(path);
  }
  for (const [directory, { length }] of found) {
    if (length > MAX_FILES) throw invalid(source, directory, `a skill has at most ${MAX_FILES} files, this ${length}`);
  }
  if (found.size === 0) throw new SkillError('invalid', `There is no directory with a ${SKILL_MD} in ${source.place}`);
  return found;
}

async function readAll(
  source: SkillSource,
  paths: ReadonlySet<string>,
  maxBytes: number,
): Promise<ReadonlyMap<string, ReadFile>> {
  const read = new Map<string, ReadFile>();
  let total = 0;
  for (const path of paths) {
    const encoded = encodePath(path);
    if (encoded === undefined) throw invalid(source, path, 'this is not a path that can be served');
    const bytes = await source.read(path);
    total += bytes.length;
    if (total > maxBytes) {
      throw new SkillError('invalid', `The skills of ${source.place} have more than ${maxBytes} bytes ("maxBytes")`);
    }
    const listed = { uri: `skill://${encoded}`, digest: await digestOf(bytes), size: bytes.length };
    read.set(path, { path, bytes, listed });
  }
  return read;
}

async function entryOf(source: SkillSource, directory: string, files: readonly ReadFile[]): Promise<SkillEntry> {
  const path = `${directory}/${SKILL_MD}`;
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > MAX_BYTES) throw invalid(source, directory, `a skill has at most ${MAX_BYTES} bytes, this ${size}`);
  const own = files.find((file) => file.path === path);
  const text = own && textOf(own.bytes);
  if (!own || text === undefined) throw invalid(source, path, 'it is not text in UTF-8');
  const result = await readFrontmatter(text);
  if ('fault' in result) throw invalid(source, path, result.fault);
  const fault = frontmatterFault(result.value);
  if (fault !== undefined) throw invalid(source, path, `its frontmatter is not valid: ${fault}`);
  const frontmatter = result.value as SkillFrontmatter;
  if (hasRounded(frontmatter)) {
    throw invalid(source, path, 'its frontmatter has a number of too many digits; put it into quotes');
  }
  const name = directory.slice(directory.lastIndexOf('/') + 1);
  if (frontmatter.name !== name) {
    throw invalid(source, path, `"name" is ${quoted(frontmatter.name)}, but must be that of the directory`);
  }
  return { uri: own.listed.uri, frontmatter, resources: files.map(({ listed }) => listed) };
}

function libraryFile({ path, bytes, listed }: ReadFile, entry: SkillEntry | undefined): LibraryFile {
  const { uri, size } = listed;
  const { mimeType, text } = kindOf(path, bytes);
  const about = entry
    ? { name: entry.frontmatter.name, description: entry.frontmatter.description }
    : { name: path.slice(path.lastIndexOf('/') + 1) };
  const contents = text === undefined ? blobReader(uri, mimeType, bytes) : textReader(uri, mimeType, text);
  return { resource: { uri, ...about, mimeType, size }, contents };
}

// Two functions, so that a closure retains either the text or the bytes of a file, not both.
function textReader(uri: string, mimeType: string, text: string): () => ResourceContents {
  return () => ({ uri, mimeType, text });
}

function blobReader(uri: string, mimeType: string, bytes: Uint8Array): () => ResourceContents {
  return () => ({ uri, mimeType, blob: toBase64(bytes) });
}

function directoriesOf(
  source: SkillSource,
  files: ReadonlyMap<string, LibraryFile>,
): ReadonlyMap<string, readonly Resource[]> {
  const directories = new Map<string, Map<string, Resource>>();
  for (const { resource } of files.values()) {
    let child = resource;
    for (const path of directoriesAbove(resource.uri.slice('skill://'.length))) {
      const uri = `skill://${path}`;
      if (files.has(uri)) throw invalid(source, decodeURIComponent(path), 'it is a file and a directory at once');
      const children = directories.get(uri) ?? new Map<string, Resource>();
      directories.set(uri, children.set(child.uri, child));
      child = { uri, name: decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)), mimeType: 'inode/directory' };
    }
  }
  return new Map([...directories].map(([uri, children]) => [uri, [...children.values()]]));
}

/** Returns all parent directories of a path, the innermost first. */
function directoriesAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, names.length - index).join('/'));
}

/** Returns true for dotfiles, which are not served. Paths with `.` or `..` are not hidden: `encodePath` refuses them. */
function isHidden(path: string): boolean {
  return path.split('/').some((name) => name.startsWith('.') && name !== '.' && name !== '..');
}

function invalid({ place }: SkillSource, path: string, fault: string): SkillError {
  return new SkillError('invalid', `${quoted(path)} in ${place}: ${fault}`);
}
