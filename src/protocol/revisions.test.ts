import { expect, test } from 'vitest';
import { isCacheable, isInRevision, METHODS } from './methods.ts';
import { familyOf, LATEST_VERSION, REVISIONS, VERSIONS } from './revisions.ts';

const versions = REVISIONS.map((features) => features.version);

test('there are five revisions, newest first, one of them stateless', () => {
  expect(versions).toEqual(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']);
  expect(versions).toEqual([...versions].sort().reverse());
  expect(REVISIONS.map((features) => features.family)).toEqual(['stateless', ...Array(4).fill('stateful')]);
  expect(LATEST_VERSION).toBe(versions[0]);
  expect(VERSIONS).toEqual(versions);
  expect(VERSIONS.map(familyOf)).toEqual(REVISIONS.map((features) => features.family));
});

test('batches get one batch of responses in 2025-03-26, separate responses in 2024-11-05, and are refused since', () => {
  expect(REVISIONS.map((features) => features.batches)).toEqual([
    'refused',
    'refused',
    'refused',
    'answered as one',
    'accepted',
  ]);
});

test('changes are pushed in stateful revisions and subscribed to in stateless ones', () => {
  expect(REVISIONS.map((features) => features.changes)).toEqual(['subscribed', ...Array(4).fill('pushed')]);
});

test('the id of a parse error is absent since 2025-11-25 and null before', () => {
  expect(REVISIONS.map((features) => features.parseErrorId)).toEqual(['absent', 'absent', 'null', 'null', 'null']);
});

test('only server/discover, lists and resources/read are cacheable', () => {
  expect([...METHODS.keys()].filter(isCacheable)).toEqual([
    'server/discover',
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
  ]);
  expect(isCacheable('constructor')).toBe(false);
});

test('every method names existing revisions', () => {
  for (const { method, revisions } of METHODS.values()) {
    expect(revisions.length, method).toBeGreaterThan(0);
    expect(versions, method).toEqual(expect.arrayContaining([...revisions]));
  }
});

test.each<[string, string]>([
  ['initialize', '.1111'],
  ['notifications/initialized', '.1111'],
  ['ping', '.1111'],
  ['server/discover', '1....'],
  ['subscriptions/listen', '1....'],
  ['notifications/subscriptions/acknowledged', '1....'],
  ['tools/list', '11111'],
  ['tools/call', '11111'],
  ['prompts/get', '11111'],
  ['resources/read', '11111'],
  ['resources/templates/list', '11111'],
  ['resources/subscribe', '.1111'],
  ['resources/unsubscribe', '.1111'],
  ['logging/setLevel', '.1111'],
  ['completion/complete', '11111'],
  ['sampling/createMessage', '.1111'],
  ['roots/list', '.1111'],
  ['elicitation/create', '.11..'],
  ['notifications/elicitation/complete', '.1...'],
  ['notifications/roots/list_changed', '.1111'],
  ['notifications/cancelled', '11111'],
  ['notifications/progress', '11111'],
  ['notifications/message', '11111'],
])('%s is in the revisions %s, newest first', (method, lives) => {
  expect(versions.map((version) => (isInRevision(method, version) ? '1' : '.')).join('')).toBe(lives);
});

test('a method that the protocol does not have is in every revision', () => {
  expect(
    versions.every((version) => isInRevision('com.example/own', version) && isInRevision('constructor', version)),
  ).toBe(true);
});
