/** What the transcripts showed of each method in each revision, read from what went over the wire. */

import type { MethodRow } from '../../src/protocol/methods.ts';
import type { RevisionFeatures } from '../../src/protocol/revisions.ts';
import { isRecord } from '../oracle/definitions.ts';
import type { Entry } from './wire.ts';

/** Everything that was said on one connection, up to its end. */
export type Talk = readonly Entry[];

type Members = Record<string, unknown>;

/** What is to be shown of a method in a revision, and has not been. */
export function missingOf(row: MethodRow, { version, family }: RevisionFeatures, talks: readonly Talk[]): string[] {
  const { method, kind, from, revisions } = row;
  const [capability = method] = method.split('/');
  const lives = revisions.includes(version);
  const seen = new Sightings(version, talks);
  const wanted: [string, boolean][] = [];
  if (kind === 'request' && from !== 'server') {
    if (lives) wanted.push(['is served', seen.answer(method, (answer) => 'result' in answer)]);
    else wanted.push(['is refused with -32601', seen.answer(method, (answer) => codeOf(answer) === -32601)]);
  }
  if (kind === 'request' && from === 'server') {
    wanted.push(['of a client is refused with -32601', seen.answer(method, (answer) => codeOf(answer) === -32601)]);
    if (lives) wanted.push(['is asked and answered', seen.question(method)]);
    else wanted.push(['never goes out', !seen.sent('server', method)]);
    if (!lives && family === 'stateless')
      wanted.push(['is asked in a result and answered', seen.questionInResult(method)]);
    if (!lives && family === 'stateful') wanted.push(['is refused by its capability', seen.refusedFor(capability)]);
  }
  if (kind === 'notification') {
    const comesFromServer = from !== 'client';
    if (lives && comesFromServer) wanted.push(['is sent by the server', seen.sent('server', method)]);
    if (!lives && comesFromServer) wanted.push(['is never sent by the server', !seen.sent('server', method)]);
    // A conversation that goes on to its end shows that it was not answered and did no harm.
    if (!lives || from !== 'server') wanted.push(['of a client is not answered', seen.sent('client', method)]);
  }
  return wanted.flatMap(([what, shown]) => (shown ? [] : [`${version}: ${method} ${what}`]));
}

/** The same for several messages in one array. */
export function missingBatches({ version, batches }: RevisionFeatures, talks: readonly Talk[]): string[] {
  const seen = new Sightings(version, talks);
  const shown = {
    'answered as one': seen.batch(
      (batch, later) => batch.length > 2 && later.some((one) => Array.isArray(one.message)),
    ),
    accepted: seen.batch(
      (batch, later) => batch.length > 2 && later.every((one) => one.from === 'client' || !Array.isArray(one.message)),
    ),
    refused: seen.batch((_batch, later) =>
      later.some((one) => isRecord(one.message) && codeOf(one.message) === -32600),
    ),
  }[batches];
  return shown ? [] : [`${version}: a batch is ${batches}`];
}

class Sightings {
  readonly #version: string;
  readonly #talks: readonly Talk[];

  constructor(version: string, talks: readonly Talk[]) {
    this.#version = version;
    this.#talks = talks;
  }

  /** The server answered a request of this method so. */
  answer(method: string, fits: (answer: Members) => boolean): boolean {
    return this.#some(
      ({ from, answered, message }) => from === 'server' && answered?.method === method && fits(message),
    );
  }

  sent(side: Entry['from'], method: string): boolean {
    return this.#some(({ from, message }) => from === side && message['method'] === method);
  }

  /** The server asked, and the client answered. */
  question(method: string): boolean {
    return this.#some(
      ({ from, answered, message }) => from === 'client' && answered?.method === method && 'result' in message,
    );
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

  /** A call ended in an error that names what is missing. */
  refusedFor(capability: string): boolean {
    return this.answer('tools/call', (answer) => String(path(answer, 'error', 'message')).includes(capability));
  }

  /** An array was sent, and what came after it fits. */
  batch(fits: (batch: readonly unknown[], later: readonly Entry[]) => boolean): boolean {
    return this.#talks.some((talk) =>
      talk.some(
        ({ from, revision, message }, index) =>
          from === 'client' &&
          revision === this.#version &&
          Array.isArray(message) &&
          fits(message, talk.slice(index + 1)),
      ),
    );
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

function codeOf(message: Members): unknown {
  return path(message, 'error', 'code');
}

function path(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((at, name) => (isRecord(at) ? at[name] : undefined), value);
}
