/** The code blocks of the documentation. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/** A `ts` block, and the `text` block right after it, if there is one: what it prints. */
export interface Snippet {
  /** Where it stands: `docs/errors.md:24`. */
  readonly place: string;
  readonly code: string;
  readonly prints: string | undefined;
}

/** The pages that are for users. */
export function pages(): string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return ['README.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))];
}

/** Every `ts` block of a page. */
export function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(join(root, page), 'utf8');
  const found = text.matchAll(/^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms);
  return [...found].map(({ index, 1: code = '', 2: prints }) => ({
    place: `${page}:${text.slice(0, index).split('\n').length}`,
    code,
    prints,
  }));
}
