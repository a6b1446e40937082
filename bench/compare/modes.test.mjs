import { expect, test } from 'vitest';
import { MODES, modesNamed } from './modes.mjs';

const named = (...names) => modesNamed(names).map(({ name }) => name);

test('no name means every mode', () => {
  expect(modesNamed([])).toEqual(MODES);
});

test('the name of a transport means all its modes, and a mode is not there twice', () => {
  expect(named('http')).toEqual(['http-2026', 'http-2025', 'http-sse']);
  expect(named('stdio', 'stdio-2025', 'http-sse')).toEqual(['http-sse', 'stdio-2026', 'stdio-2025']);
});

test('an unknown mode is refused, with the names there are', () => {
  expect(() => modesNamed(['stdio', 'websocket'])).toThrow(
    '--only has no mode websocket: expected http, stdio, http-2026, http-2025, http-sse, stdio-2026, stdio-2025',
  );
});
