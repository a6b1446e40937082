/** A server with skills, played by hand: it says of them whatever a test wants, and keeps what it was asked. */

import { createHash } from 'node:crypto';
import { RpcError } from 'mcpp';
import type { ExtensionConnection } from 'mcpp/client';
import type { SkillEntry, SkillResource } from 'mcpp/extensions/skills';

/** What the server says and has. */
export interface Play {
  /** The pages of `skills/list`. */
  readonly pages?: readonly (readonly unknown[])[];
  /** Instead of the pages. */
  readonly list?: (cursor: unknown) => Record<string, unknown>;
  /** What `skills/get` gives, by URI. */
  readonly skills?: Readonly<Record<string, unknown>>;
  /** What `resources/read` gives, by URI: text, bytes, or a whole result. */
  readonly files?: Readonly<Record<string, string | Uint8Array | Record<string, unknown>>>;
  /** What `resources/directory/read` gives. */
  readonly directory?: (uri: unknown, cursor: unknown) => Record<string, unknown>;
  /** What it declares of the extension; null for nothing. */
  readonly settings?: Readonly<Record<string, unknown>> | null;
}

/** The server as a client sees it, and what it was asked: `method uri`. */
export function playedServer(play: Play): { readonly peer: ExtensionConnection; readonly asked: readonly string[] } {
  const asked: string[] = [];
  const answer = (method: string, { uri, cursor }: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    if (method === 'skills/list') return play.list?.(cursor) ?? page(play.pages ?? [], cursor);
    if (method === 'skills/get') return { skill: play.skills?.[String(uri)] };
    if (method === 'resources/directory/read') return play.directory?.(uri, cursor) ?? {};
    const file = play.files?.[String(uri)];
    if (file === undefined) throw RpcError.invalidParams('no such resource');
    if (typeof file === 'string') return { contents: [{ uri, text: file }] };
    if (file instanceof Uint8Array) return { contents: [{ uri, blob: Buffer.from(file).toString('base64') }] };
    return file;
  };
  const settings = play.settings === undefined ? {} : play.settings;
  const peer: Pick<ExtensionConnection, 'revision' | 'serverCapabilities' | 'request'> = {
    revision: '2026-07-28',
    serverCapabilities: settings === null ? {} : { extensions: { 'io.modelcontextprotocol/skills': settings } },
    async request(method, params = {}) {
      asked.push(typeof params['uri'] === 'string' ? `${method} ${params['uri']}` : method);
      // As if it had been on the wire.
      return JSON.parse(JSON.stringify(answer(method, params))) as Record<string, unknown>;
    },
  };
  return { peer: peer as ExtensionConnection, asked };
}

function page(pages: readonly (readonly unknown[])[], cursor: unknown): Record<string, unknown> {
  const index = Number(cursor ?? 0);
  return { skills: pages[index], ...(index + 1 < pages.length ? { nextCursor: String(index + 1) } : {}) };
}

/** What an entry says of a file. */
export function listed(uri: string, content: string | Uint8Array): { uri: string; digest: string; size: number } {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  return { uri, digest, size: Buffer.byteLength(content) };
}

export const SKILL_MD =
  '---\nname: pdf-processing\ndescription: Extract and fill forms\n---\n\nSee references/FORMS.md.\n';
export const FORMS_MD = 'How forms are filled.\n';
export const LOGO: Uint8Array<ArrayBuffer> = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0x00);
export const ROOT = 'skill://pdf-processing';

/** A skill with three files, as it should be. */
export const FILES: Readonly<Record<string, string | Uint8Array>> = {
  [`${ROOT}/SKILL.md`]: SKILL_MD,
  [`${ROOT}/references/FORMS.md`]: FORMS_MD,
  [`${ROOT}/assets/logo.png`]: LOGO,
};

/** Its entry. */
export const ENTRY: Omit<SkillEntry, 'resources'> & { readonly resources: readonly SkillResource[] } = {
  uri: `${ROOT}/SKILL.md`,
  frontmatter: { name: 'pdf-processing', description: 'Extract and fill forms' },
  resources: Object.entries(FILES).map(([uri, content]) => listed(uri, content)),
};
