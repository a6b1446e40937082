/** `openSkill`: opens a skill of a server. Files are verified against the skill's entry before they are returned. */

import type { ExtensionConnection, RequestOptions } from '../../entries/client.ts';
import { filesOf, pathIn, readEntry } from './entry.ts';
import { quoted, SkillError } from './errors.ts';
import { readVerified } from './file.ts';
import { afterFrontmatter, isSame, readFrontmatter } from './frontmatter.ts';
import { getSkill, limitsOf, type SkillRequestOptions } from './listing.ts';
import { textOf } from './media-types.ts';
import { decodePath, encodePath, resolvePath } from './paths.ts';
import { isObject, MAX_BYTES, SKILL_MD, type SkillEntry, type SkillResource } from './skill.ts';

/** Options of `openSkill`. */
export interface OpenSkillOptions extends SkillRequestOptions {
  /** Also opens skills whose entry has no digests (`dynamic`). Their files are not verified. Default: false. */
  readonly allowDynamic?: boolean;
}

/** An open skill. Its text comes from the server: treat it as untrusted content, not as instructions of the user. */
export interface Skill {
  /** Entry that the files are verified against. */
  readonly entry: SkillEntry;
  /** Content of `SKILL.md`, including its frontmatter. */
  readonly text: string;
  /** Content of `SKILL.md` after its frontmatter. */
  readonly instructions: string;
  /** Paths of the files, relative to the skill's directory. Empty for a `dynamic` skill. */
  readonly paths: readonly string[];
  /** Reads a file by relative path or URI. Rejects with a `SkillError` if the file is unlisted or differs from the entry. */
  readFile(path: string, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads a file like `readFile`, and decodes UTF-8. Rejects with the code `not-text` if the file is not UTF-8. */
  readText(path: string, options?: RequestOptions): Promise<string>;
}

/** Opens a skill by entry or URI, and reads its `SKILL.md`. Rejects with a `SkillError` if the file differs from the entry. */
export async function openSkill(
  peer: ExtensionConnection,
  skill: SkillEntry | string,
  { allowDynamic = false, maxFiles, maxBytes = MAX_BYTES, ...request }: OpenSkillOptions = {},
): Promise<Skill> {
  const limits = limitsOf(maxFiles, maxBytes);
  const entry =
    typeof skill === 'string' ? await getSkill(peer, skill, { ...limits, ...request }) : readEntry(skill, limits);
  const { uri } = entry;
  const isDynamic = entry.resources === 'dynamic';
  if (isDynamic && !allowDynamic) {
    const text = `The skill ${quoted(uri)} says nothing of its content ("resources" is "dynamic"), so it cannot be checked`;
    throw new SkillError('dynamic', text, uri);
  }
  const files = filesOf(entry);

  const find = (path: string): SkillResource | { readonly uri: string } => {
    const within = pathIn(uri, path) ?? resolvePath(path);
    // Paths in Markdown links are percent-encoded.
    const file = files.get(within ?? '') ?? files.get(decodePath(within ?? '') ?? '');
    if (file) return file;
    const encoded = isDynamic && within !== undefined ? encodePath(within) : undefined;
    if (encoded !== undefined) return { uri: `${uri.slice(0, -SKILL_MD.length)}${encoded}` };
    throw new SkillError('unlisted', `The skill ${quoted(uri)} lists no file ${quoted(path)}`, uri);
  };
  const readFile: Skill['readFile'] = async (path, options) => readVerified(peer, find(path), maxBytes, options);
  const readText: Skill['readText'] = async (path, options) => {
    const text = textOf(await readFile(path, options));
    if (text === undefined) throw new SkillError('not-text', `${quoted(path)} of ${quoted(uri)} is not UTF-8`, uri);
    return text;
  };

  const text = await readText(SKILL_MD, request);
  await compareFrontmatter(entry, text);
  return { entry, text, instructions: afterFrontmatter(text), paths: [...files.keys()], readFile, readText };
}

async function compareFrontmatter({ uri, frontmatter }: SkillEntry, text: string): Promise<void> {
  const differs = (how: string): SkillError =>
    new SkillError('frontmatter-mismatch', `The ${SKILL_MD} at ${quoted(uri)} ${how}`, uri);
  const result = await readFrontmatter(text);
  if ('fault' in result || !isObject(result.value)) throw differs('has no frontmatter that can be read');
  const written = result.value;
  for (const [field, value] of Object.entries(frontmatter)) {
    if (!Object.hasOwn(written, field) || !isSame(written[field], value)) {
      throw differs(`says something else of ${quoted(field)} than its entry`);
    }
  }
  if (!isSame(written, frontmatter)) throw differs('has fields that its entry has not');
}
