/** The code blocks of the documentation. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const BLOCK = /^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms;
const TABLE = /^<table>\n.*?^<\/table>\n(?:\n```text\n(.*?)^```\n)?/gms;
/** Programs for one of these may use those after it. */
const OTHER_LIBRARIES = [
  'fastmcp',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/sdk',
];

/** The pages that are for users. */
export function pages() {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return ['README.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))];
}

/** Every `ts` block of a page. */
export function snippetsOf(page) {
  const text = readFileSync(join(root, page), 'utf8');
  const lineOf = (index) => text.slice(0, index).split('\n').length;
  const tables = [...text.matchAll(TABLE)];
  return [...text.matchAll(BLOCK)].map(({ index, 1: code, 2: prints }) => {
    const table = tables.find((one) => one.index < index && index < one.index + one[0].length);
    return {
      place: `${page}:${lineOf(index)}`,
      code,
      prints: table ? table[1] : prints,
      library: OTHER_LIBRARIES.find((name) => code.includes(`from '${name}`)),
      table: table && `${page}:${lineOf(table.index)}`,
    };
  });
}
