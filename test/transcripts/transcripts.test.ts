import { afterAll, beforeAll, describe, test } from 'vitest';
import type { SchemaRevision } from '../oracle/definitions.ts';
import { overFetch, overNode } from './http.ts';
import { memory } from './memory.ts';
import { type Conversation, conversations } from './parse.ts';
import { play, type Runner } from './play.ts';
import { stdioRunner } from './stdio.ts';
import { webSocket } from './websocket.ts';

type Case = [title: string, conversation: Conversation, revision: SchemaRevision];

function casesOver(transport: string): Case[] {
  return conversations().flatMap((conversation) =>
    conversation.revisions
      .filter((revision) => conversation.isOver(transport, revision))
      .map((revision): Case => [`${conversation.file}: ${conversation.title} [${revision}]`, conversation, revision]),
  );
}

describe('over memory', () => {
  test.each(casesOver('memory'))('%s', (_title, conversation, revision) => play(conversation, revision, memory));
});

describe('over WebSocket', () => {
  test.each(casesOver('websocket'))('%s', (_title, conversation, revision) => play(conversation, revision, webSocket));
});

describe.each([
  ['http', overNode],
  ['fetch', overFetch],
] as const)('over %s', (_name, runner) => {
  test.each(casesOver(runner.name))('%s', (_title, conversation, revision) => play(conversation, revision, runner));
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
