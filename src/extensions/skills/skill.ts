/** What a skill is to the protocol: a directory of files with a `SKILL.md`, and the entry that says which and of what content. */

import type { ClientExtension } from '../../entries/client.ts';

/** The name of the extension. */
export const SKILLS_ID = 'io.modelcontextprotocol/skills';

/** The file that makes a directory a skill. */
export const SKILL_MD = 'SKILL.md';

/** A skill has at most so many files, its `SKILL.md` included. */
export const MAX_FILES = 512;

/** The files of a skill have at most so many bytes together. */
export const MAX_BYTES: number = 16 * 1024 * 1024;

const MAX_DESCRIPTION = 1024;
const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** What stands at the top of a `SKILL.md`, as JSON. Everything the author wrote is there. */
export interface SkillFrontmatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/** A file of a skill. */
export interface SkillResource {
  readonly uri: string;
  /** `sha256:` and the SHA-256 of the bytes, in lower-case hex. */
  readonly digest: string;
  /** How many bytes it has. Servers that follow an early draft do not say it. */
  readonly size?: number;
}

/** A skill as `skills/list` and `skills/get` show it. */
export interface SkillEntry {
  /** Where its `SKILL.md` is. This, and not the name, is what tells skills apart. */
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** All its files, each once; `dynamic` if they are made when they are read, so that nothing can be said of them. */
  readonly resources: readonly SkillResource[] | 'dynamic';
}

/** Declares to servers that a client knows skills. The functions for clients need it not. */
export const skillsClient: ClientExtension = { id: SKILLS_ID, client: {} };

/** What is wrong with a frontmatter; undefined if it is right. */
export function frontmatterFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'it is not a mapping';
  const { name, description } = value;
  if (typeof name !== 'string') return 'it has no "name", which is a text';
  if (!NAME.test(name)) {
    return '"name" must be 1 to 64 of a-z, 0-9 and single hyphens, with none at its ends';
  }
  if (typeof description !== 'string' || description.trim() === '') return 'it has no "description", which is a text';
  if (isLonger(description, MAX_DESCRIPTION)) return `"description" has more than ${MAX_DESCRIPTION} characters`;
  return undefined;
}

// A character may be two units of a string; what is much too long is not taken apart.
function isLonger(text: string, most: number): boolean {
  return text.length > 2 * most || [...text].length > most;
}

/** Refuses a limit that limits nothing, or everything. */
export function checkLimit(name: string, value: number): void {
  if (!(value >= 1)) throw new TypeError(`"${name}" must be a number of at least 1`);
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The digest of some bytes, as entries have it. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
