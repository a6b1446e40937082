import { expect, test } from 'vitest';
import { MODES, modesNamed } from './modes.mjs';

const HTTP = ['http-modern-json', 'http-modern-sse', 'http-stateful-json', 'http-stateful-sse', 'http-stateless-json'];
const named = (...names) => modesNamed(names).map(({ name }) => name);

test('no name means every mode', () => {
  expect(modesNamed([])).toEqual(MODES);
});

test('every mode has a name of its own', () => {
  expect(new Set(named()).size).toBe(MODES.length);
});

test('the beginning of a name means all its modes, and a mode is not there twice', () => {
  expect(named('http')).toEqual(HTTP);
  expect(named('list', 'stdio-2025', 'stdio-2025-64')).toEqual([
    'stdio-2025-1',
    'stdio-2025-64',
    'stdio-2025-1024',
    'list-http',
    'list-stdio',
  ]);
});

test('an unknown mode is refused, with the names there are', () => {
  expect(() => modesNamed(['stdio', 'websocket'])).toThrow(
    `--only has no mode websocket: expected ${HTTP.join(', ')}, stdio-2026-1,`,
  );
});
