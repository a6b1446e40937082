import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'llms.txt'), 'utf8');
const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);

test('llms.txt has the form of llmstxt.org: a title, a summary, and sections of links with a description', () => {
  const [title, , summary] = text.split('\n');
  expect(title).toMatch(/^# \w/);
  expect(summary).toMatch(/^> \w/);
  const items = text.split('\n').filter((line) => line.startsWith('-'));
  for (const item of items) expect(item).toMatch(/^- \[[^\]]+\]\([^)]+\): \w/);
  expect(items).toHaveLength(links.length);
});

test('llms.txt links to every page of docs/, and to nothing that is not in the package', () => {
  const pages = ['docs', 'docs/guide'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  expect(links).toEqual(expect.arrayContaining(pages));
  const { files }: { files: string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const link of links) {
    expect(existsSync(join(root, link)), link).toBe(true);
    expect(['README.md', ...files], link).toContain(link.split('/')[0]);
  }
});
