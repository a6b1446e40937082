/** Validation of skill entries, which are untrusted data of a server, and the digest of a whole skill. */

import { quoted, SkillError } from './errors.ts';
import { decodePath } from './paths.ts';
import {
  checkLimit,
  digestOf,
  frontmatterFault,
  isObject,
  MAX_BYTES,
  MAX_FILES,
  SKILL_MD,
  type SkillEntry,
  type SkillFrontmatter,
  type SkillResource,
} from './skill.ts';

/** Limits for one skill. Larger skills are refused with a `SkillError`. */
export interface SkillLimits {
  /** Maximum number of files. Default: 512. */
  readonly maxFiles?: number;
  /** Maximum size of all files together, in bytes. Default: 16 MiB. */
  readonly maxBytes?: number;
}

const MAX_URI = 4096;
const SKILL_URI = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/(.+)\/SKILL\.md$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Validates an entry of `skills/list` or `skills/get`. Throws a `SkillError` if it is malformed or exceeds a limit. */
export function readEntry(value: unknown, { maxFiles = MAX_FILES, maxBytes = MAX_BYTES }: SkillLimits): SkillEntry {
  checkLimit('maxFiles', maxFiles);
  checkLimit('maxBytes', maxBytes);
  const { uri, frontmatter, resources = 'dynamic' } = isObject(value) ? value : {};
  if (!isUri(uri)) throw new SkillError('malformed', 'A skill of the server has no URI, or one that is too long');
  const malformed = (fault: string): SkillError =>
    new SkillError('malformed', `The skill ${quoted(uri)}: ${fault}`, uri);
  const path = decodePath(SKILL_URI.exec(uri)?.[1] ?? '');
  if (path === undefined) throw malformed(`its URI must be that of a ${SKILL_MD} in a directory`);
  const fault = frontmatterFault(frontmatter);
  if (fault !== undefined) throw malformed(`its frontmatter is not valid: ${fault}`);
  const { name } = frontmatter as SkillFrontmatter;
  if (name !== path.slice(path.lastIndexOf('/') + 1)) throw malformed('its name is not that of its directory');
  const entry = { uri, frontmatter: frontmatter as SkillFrontmatter };
  if (resources === 'dynamic') return { ...entry, resources };
  if (!Array.isArray(resources)) throw malformed('"resources" must be an array or "dynamic"');
  const tooLarge = (what: string): SkillError =>
    new SkillError('too-large', `The skill ${quoted(uri)} has ${what}`, uri);
  if (resources.length > maxFiles) throw tooLarge(`more than ${maxFiles} files`);
  const files = resources.map((resource) => readResource(resource, malformed));
  // Sum of the declared sizes. `readVerified` compares each declared size with the size of the file.
  const size = files.reduce((sum, file) => sum + (file.size ?? 0), 0);
  if (size > maxBytes) throw tooLarge(`more than ${maxBytes} bytes`);
  const read: SkillEntry = { ...entry, resources: files };
  filesOf(read);
  return read;
}

/** Returns the files of an entry by path, none for a `dynamic` skill. Throws a `SkillError` if the list is invalid. */
export function filesOf({ uri, resources }: SkillEntry): ReadonlyMap<string, SkillResource> {
  const files = new Map<string, SkillResource>();
  if (resources === 'dynamic') return files;
  const malformed = (fault: string): SkillError =>
    new SkillError('malformed', `The skill ${quoted(uri)} ${fault}`, uri);
  for (const file of resources) {
    const path = pathIn(uri, file.uri);
    if (path === undefined) throw malformed(`lists ${quoted(file.uri)}, which is not a file within its directory`);
    if (files.has(path)) throw malformed(`lists ${quoted(path)} twice`);
    files.set(path, file);
  }
  if (files.get(SKILL_MD)?.uri !== uri) throw malformed(`does not list its ${SKILL_MD}`);
  return files;
}

/** Returns the path of a file relative to the skill's directory, or undefined if the file is outside of the directory. */
export function pathIn(skill: string, uri: string): string | undefined {
  const directory = skill.slice(0, -SKILL_MD.length);
  return uri.startsWith(directory) ? decodePath(uri.slice(directory.length)) : undefined;
}

/**
 * Returns one SHA-256 digest over the URIs and digests of all files, in any order. Store it with the user's consent to the
 * skill, and ask again when it changes. Rejects with a `SkillError` for a `dynamic` skill, which has no digests.
 */
export async function skillDigest(entry: SkillEntry): Promise<string> {
  const { uri, resources } = entry;
  if (resources === 'dynamic') {
    throw new SkillError('dynamic', `The skill ${quoted(uri)} says nothing of its content, so there is no digest`, uri);
  }
  const files = resources.map((file) => JSON.stringify([file.uri, file.digest])).toSorted();
  return digestOf(new TextEncoder().encode(JSON.stringify([uri, ...files])));
}

function readResource(value: unknown, malformed: (fault: string) => SkillError): SkillResource {
  const { uri, digest, size } = isObject(value) ? value : {};
  if (!isUri(uri)) throw malformed('one of its files has no URI, or one that is too long');
  if (typeof digest !== 'string' || !DIGEST.test(digest)) {
    throw malformed(`the digest of ${quoted(uri)} is not "sha256:" and 64 digits of lower-case hex`);
  }
  if (size === undefined) return { uri, digest };
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw malformed(`the size of ${quoted(uri)} is not a number of bytes`);
  }
  return { uri, digest, size };
}

function isUri(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_URI;
}
