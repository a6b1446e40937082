/** Types, limits and validators of skills, as used by server and client. */

import type { ClientExtension } from '../../entries/client.ts';

export const SKILLS_ID = 'io.modelcontextprotocol/skills';

export const SKILL_MD = 'SKILL.md';

/** Maximum number of files of a skill, including `SKILL.md`. */
export const MAX_FILES = 512;

/** Maximum size of all files of a skill together, in bytes. */
export const MAX_BYTES: number = 16 * 1024 * 1024;

const MAX_DESCRIPTION = 1024;
const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Frontmatter of a `SKILL.md` file as JSON, with all fields of the author. */
export interface SkillFrontmatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/** A file in the entry of a skill. */
export interface SkillResource {
  readonly uri: string;
  /** `sha256:` and the SHA-256 hash of the file in lower-case hex. */
  readonly digest: string;
  /** Size in bytes. Servers that follow an early draft of SEP-2640 omit the size. */
  readonly size?: number;
}

/** A skill as returned by `skills/list` and `skills/get`. */
export interface SkillEntry {
  /** URI of the skill's `SKILL.md`. Identifies the skill, because names are not unique. */
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** All files, each once; `dynamic` if files are generated when read, so that there are no digests. */
  readonly resources: readonly SkillResource[] | 'dynamic';
}

/** Extension for clients, which declares support of skills to servers. `listSkills` and the other functions work without it. */
export const skillsClient: ClientExtension = { id: SKILLS_ID, client: {} };

/** Returns the first rule that the frontmatter breaks, as text; undefined if the frontmatter is valid. */
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

// Counts code points, which have one or two UTF-16 code units each. Very long text is refused without counting.
function isLonger(text: string, most: number): boolean {
  return text.length > 2 * most || [...text].length > most;
}

/** Throws a `TypeError` unless the limit is a number of at least 1. */
export function checkLimit(name: string, value: number): void {
  if (!(value >= 1)) throw new TypeError(`"${name}" must be a number of at least 1`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the SHA-256 digest in the format of `SkillResource.digest`. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
