import { beforeAll, expect, test } from 'vitest';
import { METHODS } from '../../src/protocol/methods.ts';
import { REVISIONS } from '../../src/protocol/revisions.ts';
import { missingBatches, missingOf, type Talk } from './cells.ts';
import { memory } from './memory.ts';
import { conversations } from './parse.ts';
import { play } from './play.ts';

const talks: Talk[] = [];

// A conversation that fails shows nothing; what is wrong with it is told where transcripts are tested.
beforeAll(async () => {
  for (const conversation of conversations()) {
    for (const revision of conversation.revisions) {
      let entries: Talk = [];
      const played = play(conversation, revision, memory, (seen) => {
        entries = seen;
      });
      await played.then(
        () => talks.push(entries),
        () => undefined,
      );
    }
  }
});

test.each(REVISIONS)('every method has a conversation in $version, where it exists and where it does not', (facts) => {
  const missing = [...METHODS.values()].flatMap((row) => missingOf(row, facts, talks));
  expect(missing).toEqual([]);
});

test.each(REVISIONS)('batches have a conversation in $version', (facts) => {
  expect(missingBatches(facts, talks)).toEqual([]);
});

test('a method without a conversation is named', () => {
  const [newest] = REVISIONS;
  const row = { method: 'tools/dance', kind: 'request', from: 'client', revisions: ['2026-07-28'] } as const;
  expect(newest && missingOf(row, newest, talks)).toEqual(['2026-07-28: tools/dance is served']);
  const old = { ...row, revisions: ['2024-11-05'] };
  expect(newest && missingOf(old, newest, talks)).toEqual(['2026-07-28: tools/dance is refused with -32601']);
});
