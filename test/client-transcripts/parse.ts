/** Reads client transcripts: conversations in which the server is played, in the form that README.md describes. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SchemaRevision } from '../oracle/definitions.ts';
import { joinContinued, type Line, revisionsNamed } from '../transcripts/parse.ts';

/** What a line does. */
export type StepKind =
  /** The client connects, and the greeting of its revision is played. */
  | 'connect'
  /** The client's code calls something. */
  | 'do'
  /** The next message of the client's. */
  | '>'
  /** A message of the server's. */
  | '<'
  /** The same, and the schema must refuse it. */
  | '<!'
  /** What the oldest call gives. */
  | '='
  /** What the oldest call fails with. */
  | '!'
  /** What the client's code is told. */
  | '*'
  /** The client has said nothing more. */
  | 'nothing'
  /** Milliseconds pass. */
  | 'wait'
  /** The server ends the connection. */
  | 'hang up';

/** One line of a conversation. */
export interface Step {
  readonly kind: StepKind;
  readonly line: number;
  readonly revisions: readonly SchemaRevision[];
  readonly text: string;
}

/** One conversation, as it was written. */
export interface Conversation {
  readonly file: string;
  readonly title: string;
  readonly line: number;
  readonly revisions: readonly SchemaRevision[];
  /** Options of the connection, as JSON. */
  readonly options: string;
  /** What the client's handlers answer, as JSON. */
  readonly answers: string;
  /** The capabilities of the server that `connect` greets, as JSON. */
  readonly server: string;
  /** Methods that are not the protocol's. */
  readonly own: ReadonlySet<string>;
  readonly steps: readonly Step[];
}

const folder = fileURLToPath(new URL('.', import.meta.url));

const EVERYTHING = JSON.stringify({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
});

/** Every conversation of every client transcript. */
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

function parseConversation(file: string, [heading, ...rest]: readonly Line[]): Conversation {
  const settings = new Map<string, string>();
  const steps: Step[] = [];
  for (const { line, text } of rest) {
    if (text === '' || text.startsWith('#')) continue;
    const [, name, value] = /^(revisions|options|answers|server|own): (.+)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined) settings.set(name, value);
    else steps.push(parseStep(file, line, text));
  }
  return {
    file,
    title: heading?.text.slice(3) ?? '',
    line: heading?.line ?? 0,
    revisions: revisionsNamed(settings.get('revisions') ?? 'all'),
    options: settings.get('options') ?? '{}',
    answers: settings.get('answers') ?? '{}',
    server: settings.get('server') ?? EVERYTHING,
    own: new Set(settings.get('own')?.split(' ')),
    steps,
  };
}

const STEP = /^(connect|do|nothing|wait|hang up|>|<!?|=|!|\*)(?:\[([^\]]+)\])?(?: (.*))?$/;

function parseStep(file: string, line: number, text: string): Step {
  const [, kind, names, rest] = STEP.exec(text) ?? [];
  if (kind === undefined) throw new Error(`${file}:${line}: not a line of a client transcript: ${text}`);
  return { kind: kind as StepKind, line, revisions: revisionsNamed(names ?? 'all'), text: rest ?? '' };
}
