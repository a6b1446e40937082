import { afterAll, beforeAll, describe, test } from 'vitest';
import type { SchemaRevision } from '../oracle/definitions.ts';
import { memory } from './memory.ts';
import { type Conversation, conversations } from './parse.ts';
import { play, type Runner } from './play.ts';
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

describe.concurrent('over stdio', () => {
  let runner: Runner;
  let end = (): void => {};
  beforeAll(async () => {
    ({ runner, end } = await stdioRunner());
  });
  afterAll(() => end());

  test.each(casesOver('stdio'))('%s', (_title, conversation, revision) => play(conversation, revision, runner));
});
