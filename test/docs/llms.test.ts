import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'llms.txt'), 'utf8');
const linksIn = (part: string): string[] => [...part.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
const links = linksIn(text);

test('llms.txt has the form of llmstxt.org: a title, a summary, and sections of links with a description', () => {
  const [title, , summary] = text.split('\n');
  expect(title).toMatch(/^# \w/);
  expect(summary).toMatch(/^> \w/);
  const items = text.split('\n').filter((line) => line.startsWith('-'));
  for (const item of items) expect(item).toMatch(/^- \[[^\]]+\]\([^)]+\): \w/);
  expect(items).toHaveLength(links.length);
});

test('llms.txt links to every page of docs/, and says which are not in the package', () => {
  const pages = ['docs', 'docs/guide'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  expect(links).toEqual(expect.arrayContaining(pages));
  for (const link of links) expect(existsSync(join(root, link)), link).toBe(true);
  const { files }: { files: string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const isPackaged = (path: string): boolean =>
    ['README.md', ...files].includes(path) ||
    path.startsWith('docs/guide/') ||
    (/^docs\/[^/]+\.md$/.test(path) && !files.includes(`!${path}`));
  const [inPackage = '', optional = ''] = text.split('## Optional');
  expect(linksIn(inPackage).filter((path) => !isPackaged(path))).toEqual([]);
  expect(linksIn(optional).filter(isPackaged)).toEqual([]);
});
