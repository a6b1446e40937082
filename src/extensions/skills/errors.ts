/** What keeps a skill from being served or used. */

import { McpError, printable } from '../../entries/mcpp.ts';

/** Why. */
export type SkillErrorCode =
  /** A skill that was to be served breaks a rule. */
  | 'invalid'
  /** The server does not have what was asked for: the extension, or directory reading. */
  | 'unsupported'
  /** What the server says of a skill, or of a file, is not as the extension has it. */
  | 'malformed'
  /** The list of skills could not be read to its end. */
  | 'incomplete'
  /** It has more files or bytes than are accepted. */
  | 'too-large'
  /** The server says nothing of the files' content, so there is nothing to check it against. */
  | 'dynamic'
  /** The entry of the skill has no such file. */
  | 'unlisted'
  /** The file has not the number of bytes that the entry says. */
  | 'size-mismatch'
  /** The file has not the content that the entry says. */
  | 'digest-mismatch'
  /** `SKILL.md` begins with something else than the entry says. */
  | 'frontmatter-mismatch'
  /** The file is not text. */
  | 'not-text';

const MAX_MESSAGE = 4096;

/** A skill cannot be served, or must not be used. Nothing of a file's content is in the message. */
export class SkillError extends McpError {
  override readonly name = 'SkillError';
  readonly code: SkillErrorCode;
  /** The skill, or the file, where there is one. */
  readonly uri: string | undefined;

  constructor(code: SkillErrorCode, message: string, uri?: string) {
    super(printable(message, MAX_MESSAGE));
    this.code = code;
    this.uri = uri;
  }
}

/** A name from somewhere else, as an error text shows it. */
export function quoted(name: string): string {
  return JSON.stringify(name.length <= 128 ? name : `${name.slice(0, 128)}...`);
}
