/** Reads transcripts: conversations in plain text, in the form that README.md describes. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SCHEMA_REVISIONS, type SchemaRevision } from '../oracle/definitions.ts';

/** One line of a conversation. */
export type Step = { readonly line: number; readonly revisions: readonly SchemaRevision[]; readonly text: string } & (
  | { readonly kind: 'open' }
  /** `isWrong`: the schema must refuse it. */
  | { readonly kind: 'send'; readonly isWrong: boolean }
  /** `inAnyOrder`: with its neighbours that say so too. */
  | { readonly kind: 'expect'; readonly inAnyOrder: boolean }
);

/** One conversation, as it was written. */
export interface Conversation {
  readonly file: string;
  readonly title: string;
  readonly line: number;
  readonly revisions: readonly SchemaRevision[];
  /** Which server is spoken to. */
  readonly server: string;
  /** Methods that are not the protocol's. */
  readonly own: ReadonlySet<string>;
  /** True if this transport can carry it in this revision. */
  isOver(transport: string, revision: SchemaRevision): boolean;
  readonly steps: readonly Step[];
}

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Every conversation of every transcript. */
export function conversations(): readonly Conversation[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.transcript'));
  return files.sort().flatMap((file) => parseTranscript(file, readFileSync(`${folder}${file}`, 'utf8')));
}

/** The conversations of one file. */
export function parseTranscript(file: string, text: string): readonly Conversation[] {
  const lines = joinContinued(text.split('\n'));
  const starts = lines.flatMap(({ text: one }, index) => (one.startsWith('## ') ? [index] : []));
  return starts.map((start, n) => parseConversation(file, lines.slice(start, starts[n + 1])));
}

/** A line of a transcript, with those that go on with it. */
export interface Line {
  readonly line: number;
  readonly text: string;
}

/** The lines of a transcript; an indented line belongs to the one above it. */
export function joinContinued(lines: readonly string[]): readonly Line[] {
  const joined: { line: number; text: string }[] = [];
  for (const [index, text] of lines.entries()) {
    const above = joined.at(-1);
    if (text.startsWith('  ') && above) above.text += ` ${text.trim()}`;
    else joined.push({ line: index + 1, text: text.trimEnd() });
  }
  return joined;
}

function parseConversation(file: string, [heading, ...rest]: readonly Line[]): Conversation {
  const settings = new Map<string, string>();
  const steps: Step[] = [];
  for (const { line, text } of rest) {
    if (text === '' || text.startsWith('#')) continue;
    const setting = /^(revisions|server|own|over|except): (.+)$/.exec(text);
    if (setting?.[1] && setting[2]) settings.set(setting[1], setting[2]);
    else steps.push(parseStep(file, line, text));
  }
  return {
    file,
    title: heading?.text.slice(3) ?? '',
    line: heading?.line ?? 0,
    revisions: revisionsNamed(settings.get('revisions') ?? 'all'),
    server: settings.get('server') ?? 'everything',
    own: new Set(settings.get('own')?.split(' ')),
    isOver: carriers(settings.get('over'), settings.get('except')),
    steps,
  };
}

// `over: stdio websocket`, `except: http fetch`, `except: http fetch in stateless`
function carriers(over: string | undefined, except: string | undefined): Conversation['isOver'] {
  const [excepted = '', inRevisions = 'all'] = except?.split(' in ') ?? [];
  const revisions = revisionsNamed(inRevisions);
  return (transport, revision) => {
    if (over !== undefined && !over.split(' ').includes(transport)) return false;
    return !(excepted.split(' ').includes(transport) && revisions.includes(revision));
  };
}

function parseStep(file: string, line: number, text: string): Step {
  const [, sign, mark, names, rest] = /^(open|>|<)([!~]?)(?:\[([^\]]+)\])?(?: (.*))?$/.exec(text) ?? [];
  if (sign === undefined) throw new Error(`${file}:${line}: not a line of a transcript: ${text}`);
  const step = { line, revisions: revisionsNamed(names ?? 'all'), text: rest ?? '' };
  if (sign === 'open') return { ...step, kind: 'open' };
  if (sign === '>') return { ...step, kind: 'send', isWrong: mark === '!' };
  return { ...step, kind: 'expect', inAnyOrder: mark === '~' };
}

const STATEFUL = SCHEMA_REVISIONS.filter((revision) => revision !== '2026-07-28');

/** `all`, `stateful`, `stateless`, dates, and spans of dates such as `2025-06-18..2025-11-25` or `..2025-03-26`. */
export function revisionsNamed(names: string): readonly SchemaRevision[] {
  return names.split(' ').flatMap((name) => {
    if (name === 'all') return [...SCHEMA_REVISIONS];
    if (name === 'stateful') return STATEFUL;
    if (name === 'stateless') return ['2026-07-28'] as const;
    const [from = '', to = from] = name.split('..');
    const chosen = SCHEMA_REVISIONS.filter((revision) => revision >= from && (to === '' || revision <= to));
    if (chosen.length === 0) throw new Error(`There is no revision "${name}"`);
    return chosen;
  });
}
