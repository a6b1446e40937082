/** Client functions that list the skills and directories of a server. They read no files. */

import type { ExtensionConnection, RequestOptions } from '../../entries/client.ts';
import type { Params, Resource } from '../../entries/mcpp.ts';
import { readEntry, type SkillLimits } from './entry.ts';
import { quoted, SkillError } from './errors.ts';
import { checkLimit, isObject, SKILLS_ID, type SkillEntry } from './skill.ts';

/** Options of the client functions: request options, and limits for each skill. */
export interface SkillRequestOptions extends RequestOptions, SkillLimits {}

/** Options of `listSkills`. */
export interface ListSkillsOptions extends SkillRequestOptions {
  /** Maximum number of skills in the list. A longer list rejects with the code `incomplete`. Default: 10,000. */
  readonly maxSkills?: number;
}

/** Result of `listSkills`. */
export interface SkillList {
  /** Valid skills. Their names are not unique: identify a skill by its URI. */
  readonly skills: readonly SkillEntry[];
  /** Errors of the other entries, which are malformed, duplicate or too large. */
  readonly refused: readonly SkillError[];
}

const MAX_SKILLS = 10_000;
const MAX_PAGES = 1000;

/** Lists the skills of a server. A server can have unlisted skills, which only `getSkill` finds, by URI. */
export async function listSkills(
  peer: ExtensionConnection,
  { maxSkills = MAX_SKILLS, maxFiles, maxBytes, ...request }: ListSkillsOptions = {},
): Promise<SkillList> {
  checkLimit('maxSkills', maxSkills);
  settingsOf(peer);
  const skills = new Map<string, SkillEntry>();
  const refused: SkillError[] = [];
  for (const item of await allItems(peer, 'skills/list', 'skills', {}, request, maxSkills)) {
    try {
      const entry = readEntry(item, limitsOf(maxFiles, maxBytes));
      if (skills.has(entry.uri)) {
        throw new SkillError('malformed', `The skill ${quoted(entry.uri)} is listed twice`, entry.uri);
      }
      skills.set(entry.uri, entry);
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      refused.push(error);
    }
  }
  return { skills: [...skills.values()], refused };
}

/** Returns the entry of one skill, listed or not, by the URI of its `SKILL.md`. Rejects if the server has no such skill. */
export async function getSkill(
  peer: ExtensionConnection,
  uri: string,
  { maxFiles, maxBytes, ...request }: SkillRequestOptions = {},
): Promise<SkillEntry> {
  settingsOf(peer);
  const { skill } = await peer.request('skills/get', { uri }, request);
  const entry = readEntry(skill, limitsOf(maxFiles, maxBytes));
  if (entry.uri !== uri) {
    throw new SkillError('malformed', `The server was asked for ${quoted(uri)} and gave ${quoted(entry.uri)}`, uri);
  }
  return entry;
}

/**
 * Lists a directory of the server, by URI without a trailing slash. Rejects unless the server declares `directoryRead`. For the
 * files of a skill, use the skill's entry: files are verified against the entry, not against the directory.
 */
export async function readDirectory(
  peer: ExtensionConnection,
  uri: string,
  options?: RequestOptions,
): Promise<readonly Resource[]> {
  if (settingsOf(peer)['directoryRead'] !== true) {
    throw new SkillError('unsupported', 'The server does not let directories be read: it declares no "directoryRead"');
  }
  const items = await allItems(peer, 'resources/directory/read', 'resources', { uri }, options, MAX_SKILLS);
  const wrong = items.some((item) => !isObject(item) || typeof item['uri'] !== 'string');
  if (wrong) throw new SkillError('malformed', `In the directory ${quoted(uri)} is something without a URI`, uri);
  return items as Resource[];
}

export function limitsOf(maxFiles: number | undefined, maxBytes: number | undefined): SkillLimits {
  return { ...(maxFiles === undefined ? {} : { maxFiles }), ...(maxBytes === undefined ? {} : { maxBytes }) };
}

function settingsOf({ serverCapabilities }: ExtensionConnection): Readonly<Record<string, unknown>> {
  const settings = serverCapabilities.extensions?.[SKILLS_ID];
  if (!isObject(settings)) throw new SkillError('unsupported', `The server does not declare ${SKILLS_ID}`);
  return settings;
}

async function allItems(
  peer: ExtensionConnection,
  method: string,
  member: string,
  params: Params,
  request: RequestOptions | undefined,
  most: number,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  const incomplete = (why: string): SkillError =>
    new SkillError('incomplete', `${method} could not be read to its end: ${why}`);
  let cursor: string | undefined;
  do {
    const result = await peer.request(method, cursor === undefined ? params : { ...params, cursor }, request);
    const { [member]: page, nextCursor } = result;
    if (!Array.isArray(page)) throw new SkillError('malformed', `The answer to ${method} has no array "${member}"`);
    if (items.length + page.length > most) throw incomplete(`there are more than ${most} items`);
    for (const item of page) items.push(item);
    cursor = typeof nextCursor === 'string' ? nextCursor : undefined;
    if (cursor !== undefined && seen.has(cursor)) throw incomplete('the server repeats a cursor');
    if (seen.size >= MAX_PAGES) throw incomplete(`there are more than ${MAX_PAGES} pages`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return items;
}
