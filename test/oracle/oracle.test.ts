import { describe, expect, test } from 'vitest';
import {
  type Definitions,
  isUpTo,
  type Kind,
  SCHEMA_REVISIONS,
  type SchemaRevision,
  type Side,
} from './definitions.ts';
import { schemaFault, sources } from './oracle.ts';
import { PUBLISHED_METHODS, publishedDefinition } from './published-methods.ts';
import type { Sample } from './sample.ts';
import { GOOD_STATEFUL, WRONG_STATEFUL } from './stateful-messages.ts';
import { GOOD_STATELESS, WRONG_STATELESS } from './stateless-messages.ts';

const STATEFUL = SCHEMA_REVISIONS.filter((revision) => isUpTo(revision, '2025-11-25'));

function each(samples: readonly Sample[], all: readonly SchemaRevision[]): [string, SchemaRevision, Sample][] {
  return samples.flatMap((sample) =>
    (sample.revisions ?? all).map((revision): [string, SchemaRevision, Sample] => [sample.what, revision, sample]),
  );
}

function faultOf(revision: SchemaRevision, { message, from, answers, asked }: Sample, source: Definitions) {
  return schemaFault(revision, message, { from, answers: () => answers, asked: (key) => asked?.[key] }, source);
}

test('the published schemas are always there', () => {
  expect(sources.map(({ name }) => name)).toContain('published');
});

describe.each(sources.map((source): [string, Definitions] => [source.name, source]))('the %s schemas', (_, source) => {
  const good = [...each(GOOD_STATEFUL, STATEFUL), ...each(GOOD_STATELESS, ['2026-07-28'])];
  test.each(good)('accept %s in %s', (_what, revision, sample) => {
    expect(faultOf(revision, sample, source)).toBeUndefined();
  });

  const wrong = [...each(WRONG_STATEFUL, STATEFUL), ...each(WRONG_STATELESS, ['2026-07-28'])];
  test.each(wrong)('refuse %s in %s', (_what, revision, sample) => {
    expect(faultOf(revision, sample, source)).toBeTypeOf('string');
  });

  test('accept a method of the conversation only if it is declared', () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'com.example/echo', params: {} };
    const own = new Set(['com.example/echo']);
    expect(schemaFault('2025-11-25', message, { from: 'client', own }, source)).toBeUndefined();
    expect(schemaFault('2025-11-25', message, { from: 'client' }, source)).toBeTypeOf('string');
  });

  const directions: [Side, Kind][] = [
    ['client', 'request'],
    ['client', 'notification'],
    ['server', 'request'],
    ['server', 'notification'],
  ];
  test.each(SCHEMA_REVISIONS)('have the same methods in %s, in the same direction', (revision) => {
    for (const { method } of PUBLISHED_METHODS) {
      for (const [from, kind] of directions) {
        const definition = publishedDefinition(revision, from, kind, method);
        expect([method, from, source.definitionOf(revision, from, kind, method)]).toEqual([method, from, definition]);
      }
    }
  });
});
