/** Frontmatter of a `SKILL.md` file: YAML between two `---` lines at the top. */

import type { YamlResult } from './yaml.ts';

const BLOCK = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** Parses the frontmatter into a JSON value. The YAML parser is loaded on first use. */
export async function readFrontmatter(text: string): Promise<YamlResult> {
  const [, block] = BLOCK.exec(text) ?? [];
  if (block === undefined) return { fault: 'it does not begin with frontmatter between two lines of ---' };
  const { readYaml } = await import('./yaml.ts');
  // The added line break stands for the opening `---`, so that line numbers in errors match the file.
  const result = readYaml(`\n${block}`);
  return 'fault' in result ? { fault: `its frontmatter cannot be read: ${result.fault}` } : result;
}

/** Returns true if two JSON values are deeply equal, in any order of keys. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  if (keys.length !== others.length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSame(memberOf(one, key), memberOf(other, key)));
}

function memberOf(object: object, key: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[key];
}

/** Returns true if the value contains an integer outside of the safe range, which parsing can have rounded. */
export function hasRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRounded);
}

export function afterFrontmatter(text: string): string {
  return text.replace(BLOCK, '');
}
