import { beforeAll, expect, test } from 'vitest';
import { METHODS } from '../../src/protocol/methods.ts';
import { REVISIONS } from '../../src/protocol/revisions.ts';
import { missingBatches, missingOf, type Talk } from './cells.ts';
import { conversations } from './parse.ts';
import { play } from './play.ts';

const talks: Talk[] = [];

// A conversation that fails shows nothing; what is wrong with it is told where transcripts are tested.
beforeAll(async () => {
  for (const conversation of conversations()) {
    for (const revision of conversation.revisions) {
      let entries: Talk = [];
      const onEntries = (seen: Talk): void => {
        entries = seen;
      };
      const played = play(conversation, revision, { onEntries });
      await played.then(
        () => talks.push(entries),
        () => undefined,
      );
    }
  }
}, 300_000);

test.each(REVISIONS)('every method has a conversation in $version, where it exists and where it does not', (facts) => {
  const missing = [...METHODS.values()].flatMap((row) => missingOf(row, facts, talks));
  expect(missing).toEqual([]);
});

test.each(REVISIONS)('batches have a conversation in $version, where there are any', (facts) => {
  expect(missingBatches(facts, talks)).toEqual([]);
});

test('a method without a conversation is named', () => {
  const [newest, older] = REVISIONS;
  const row = { method: 'tools/dance', kind: 'request', from: 'client', revisions: ['2026-07-28'] } as const;
  expect(newest && missingOf(row, newest, talks)).toEqual(['2026-07-28: tools/dance is sent, and its result taken']);
  const asked = { ...row, from: 'server' } as const;
  expect(older && missingOf(asked, older, talks)).toEqual(['2025-11-25: tools/dance of a server is refused']);
  const gone = { method: 'tools/list', kind: 'request', from: 'client', revisions: [] } as const;
  expect(newest && missingOf(gone, newest, talks)).toEqual(['2026-07-28: tools/list is never sent']);
});
