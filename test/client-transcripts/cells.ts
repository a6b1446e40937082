/** What the client transcripts showed of each method in each revision, read from what went over the wire. */

import type { MethodRow } from '../../src/protocol/methods.ts';
import type { RevisionFeatures } from '../../src/protocol/revisions.ts';
import { isRecord } from '../oracle/definitions.ts';
import type { Entry } from '../transcripts/wire.ts';

/** Everything that was said in one conversation, up to its end. */
export type Talk = readonly Entry[];

type Members = Record<string, unknown>;

/** What a client says only where its code does: it makes no progress that it could tell of. */
const NOT_OF_ITSELF: ReadonlySet<string> = new Set(['notifications/progress']);

/** What is to be shown of a method in a revision, and has not been. */
export function missingOf(row: MethodRow, { version, family }: RevisionFeatures, talks: readonly Talk[]): string[] {
  const { method, kind, from, revisions } = row;
  const lives = revisions.includes(version);
  const seen = new Sightings(version, talks);
  const wanted: [string, boolean][] = [];
  if (kind === 'request' && from !== 'server') {
    if (lives) wanted.push(['is sent, and its result taken', seen.taken(method)]);
    else wanted.push(['is never sent', !seen.sent('client', method)]);
  }
  if (kind === 'request' && from !== 'client') {
    if (lives) wanted.push(['of a server is answered', seen.answered(method, 'result')]);
    if (!lives && family === 'stateful') wanted.push(['of a server is refused', seen.answered(method, 'error')]);
    // A conversation that goes on to its end without an answer shows that there was none.
    if (!lives && family === 'stateless') {
      wanted.push(['of a server is not answered', seen.sent('server', method) && !seen.answersSomething()]);
    }
    if (!lives && family === 'stateless' && from === 'server') {
      wanted.push(['is asked in a result and answered', seen.questionInResult(method)]);
    }
  }
  if (kind === 'notification') {
    if (from !== 'server' && !lives) wanted.push(['is never sent', !seen.sent('client', method)]);
    if (from !== 'server' && lives && !NOT_OF_ITSELF.has(method)) {
      wanted.push(['is sent', seen.sent('client', method)]);
    }
    if (from !== 'client') wanted.push(['of a server is taken', seen.sent('server', method)]);
  }
  return wanted.flatMap(([what, shown]) => (shown ? [] : [`${version}: ${method} ${what}`]));
}

/** The same for several messages in one array. Every revision but one has none. */
export function missingBatches({ version, batches }: RevisionFeatures, talks: readonly Talk[]): string[] {
  const isTaken = talks.some((talk) =>
    talk.some(({ from, revision, message }) => from === 'server' && revision === version && Array.isArray(message)),
  );
  const isSent = talks.some((talk) => talk.some(({ from, message }) => from === 'client' && Array.isArray(message)));
  return [
    ...(batches === 'answered as one' && !isTaken ? [`${version}: a batch of a server is taken`] : []),
    ...(isSent ? [`${version}: a batch is never sent`] : []),
  ];
}

class Sightings {
  readonly #version: string;
  readonly #talks: readonly Talk[];

  constructor(version: string, talks: readonly Talk[]) {
    this.#version = version;
    this.#talks = talks;
  }

  /** The client sent a request of this method, and got a result. */
  taken(method: string): boolean {
    return this.#some(
      ({ from, answered, message }) => from === 'server' && answered?.method === method && 'result' in message,
    );
  }

  /** The client answered a request of this method so. */
  answered(method: string, how: 'result' | 'error'): boolean {
    return this.#some(
      ({ from, answered, message }) => from === 'client' && answered?.method === method && how in message,
    );
  }

  /** The client answered anything at all. */
  answersSomething(): boolean {
    return this.#some(({ from, message }) => from === 'client' && !('method' in message));
  }

  sent(side: Entry['from'], method: string): boolean {
    return this.#some(({ from, message }) => from === side && message['method'] === method);
  }

  /** The server asked in a result, and the client called again with an answer under that key. */
  questionInResult(method: string): boolean {
    return this.#talks.some((talk) => {
      const keys = talk.flatMap(({ message }) => keysOf(path(message, 'result', 'inputRequests'), method));
      return keys.some((key) =>
        talk.some(({ message }) => path(message, 'params', 'inputResponses', key) !== undefined),
      );
    });
  }

  #some(fits: (entry: Entry & { readonly message: Members }) => boolean): boolean {
    return this.#talks.some((talk) =>
      talk.some(
        (one) => one.revision === this.#version && isRecord(one.message) && fits({ ...one, message: one.message }),
      ),
    );
  }
}

function keysOf(questions: unknown, method: string): string[] {
  if (!isRecord(questions)) return [];
  return Object.keys(questions).filter((key) => path(questions[key], 'method') === method);
}

function path(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((at, name) => (isRecord(at) ? at[name] : undefined), value);
}
