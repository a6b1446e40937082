/** `SkillError` and its codes. */

import { McpError, printable } from '../../entries/mcpp.ts';

/** Reason of a `SkillError`. */
export type SkillErrorCode =
  /** A skill to be served breaks a rule of the extension, or its files cannot be read. */
  | 'invalid'
  /** The server does not declare the extension or `directoryRead`, or this platform has no file system. */
  | 'unsupported'
  /** A response of the server violates the extension. */
  | 'malformed'
  /** A list has too many items or pages, or repeats a cursor. */
  | 'incomplete'
  /** The skill or file exceeds `maxFiles` or `maxBytes`. */
  | 'too-large'
  /** The entry of the skill has no digests, so its files cannot be verified. */
  | 'dynamic'
  /** The entry of the skill does not list the file. */
  | 'unlisted'
  /** The size of the file differs from the skill's entry. */
  | 'size-mismatch'
  /** The SHA-256 digest of the file differs from the skill's entry. */
  | 'digest-mismatch'
  /** The frontmatter of `SKILL.md` is unreadable, or differs from the skill's entry. */
  | 'frontmatter-mismatch'
  /** The file is not UTF-8 text. */
  | 'not-text';

const MAX_MESSAGE = 4096;

/** Error of a skill that cannot be served, or must not be used. On clients, the message contains no file content. */
export class SkillError extends McpError {
  override readonly name = 'SkillError';
  readonly code: SkillErrorCode;
  /** URI of the skill or file, if known. */
  readonly uri: string | undefined;

  constructor(code: SkillErrorCode, message: string, uri?: string) {
    super(printable(message, MAX_MESSAGE));
    this.code = code;
    this.uri = uri;
  }
}

/** Quotes an untrusted name for an error message, and cuts it to 128 characters. */
export function quoted(name: string): string {
  return JSON.stringify(name.length <= 128 ? name : `${name.slice(0, 128)}...`);
}
