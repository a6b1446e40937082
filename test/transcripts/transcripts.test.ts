import { afterAll, beforeAll, describe, test } from 'vitest';
import type { SchemaRevision } from '../oracle/definitions.ts';
import { memory } from './memory.ts';
import { type Conversation, conversations } from './parse.ts';
import { play, type Runner } from './play.ts';
import { socketRunner } from './socket.ts';
import { stdioRunner } from './stdio.ts';

type Case = [title: string, conversation: Conversation, revision: SchemaRevision];

function casesOver(transport: string): Case[] {
  const carried = conversations().filter(({ over }) => over === undefined || over.includes(transport));
  return carried.flatMap((conversation) =>
    conversation.revisions.map(
      (revision): Case => [`${conversation.file}: ${conversation.title} [${revision}]`, conversation, revision],
    ),
  );
}

describe('over memory', () => {
  test.each(casesOver('memory'))('%s', (_title, conversation, revision) => play(conversation, revision, memory));
});

describe('over a socket to another process', () => {
  let runner: Runner;
  let end = (): void => {};
  beforeAll(async () => {
    ({ runner, end } = await socketRunner());
  });
  afterAll(() => end());

  test.each(casesOver('socket'))('%s', (_title, conversation, revision) => play(conversation, revision, runner));
});

// A process per conversation is dear, and the lines are those of the socket: the last conversation of each file
// stands for the others, unless MCPP_TRANSCRIPTS=all.
function fewOf(cases: Case[]): Case[] {
  if (process.env['MCPP_TRANSCRIPTS'] === 'all') return cases;
  return cases.filter(([, { file }], index) => cases[index + 1]?.[1].file !== file);
}

describe.concurrent('over stdio', () => {
  let runner: Runner;
  let end = (): void => {};
  beforeAll(async () => {
    ({ runner, end } = await stdioRunner());
  });
  afterAll(() => end());

  test.each(fewOf(casesOver('stdio')))('%s', (_title, conversation, revision) => play(conversation, revision, runner));
});
