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

test('batches are answered as one in 2025-03-26, taken in 2024-11-05, refused since', () => {
  expect(REVISIONS.map((features) => features.batches)).toEqual([
    'refused',
    'refused',
    'refused',
    'answered as one',
    'accepted',
  ]);
});

test('changes are told unasked in a session, and to those who listen since there is none', () => {
  expect(REVISIONS.map((features) => features.changes)).toEqual(['subscribed', ...Array(4).fill('pushed')]);
});

test('the id of an unreadable message is absent since 2025-11-25 and null before', () => {
  expect(REVISIONS.map((features) => features.parseErrorId)).toEqual(['absent', 'absent', 'null', 'null', 'null']);
});

test('what a server is, its lists and its resources may be kept, and nothing else', () => {
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

test('every method lives in revisions that there are', () => {
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
])('%s lives in %s of the revisions, newest first', (method, lives) => {
  expect(versions.map((version) => (isInRevision(method, version) ? '1' : '.')).join('')).toBe(lives);
});

test('a method of one’s own lives everywhere', () => {
  expect(
    versions.every((version) => isInRevision('com.example/own', version) && isInRevision('constructor', version)),
  ).toBe(true);
});
