import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { conversations } from '../transcripts/parse.ts';
import { root } from './snippets.mjs';

const page = readFileSync(join(root, 'docs/protocol.md'), 'utf8');
const shown = [...page.matchAll(/^```json\n(.*?)^```/gms)].map(([, text = '']) => text.trim());
const played = conversations()
  .filter(({ file }) => file === 'hello.transcript')
  .flatMap(({ steps }) => steps.map(({ text }) => JSON.parse(text) as unknown));

test('the page shows messages', () => {
  expect(shown.length).toBeGreaterThan(5);
});

test.each(shown)('a message on the page is one of the transcript: %s', (text) => {
  expect(played).toContainEqual(JSON.parse(text));
});

test.each(shown)('a message on the page is one line, as on the wire: %s', (text) => {
  expect(text).not.toContain('\n');
});
