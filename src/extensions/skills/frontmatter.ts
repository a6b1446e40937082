/** The frontmatter of a `SKILL.md`: YAML between two lines of three hyphens, at the very top. */

import type { YamlResult } from './yaml.ts';

const BLOCK = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** Reads it as JSON. What reads YAML is loaded for the first one. */
export async function readFrontmatter(text: string): Promise<YamlResult> {
  const [, block] = BLOCK.exec(text) ?? [];
  if (block === undefined) return { fault: 'it does not begin with frontmatter between two lines of ---' };
  const { readYaml } = await import('./yaml.ts');
  // The line above it counts too.
  const result = readYaml(`\n${block}`);
  return 'fault' in result ? { fault: `its frontmatter cannot be read: ${result.fault}` } : result;
}

/** Two JSON values have the same content; the order of keys does not count. */
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

/** True if there is a number in it that is not the one that was written: this many digits are not kept. */
export function hasRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRounded);
}

/** The text without its frontmatter. */
export function afterFrontmatter(text: string): string {
  return text.replace(BLOCK, '');
}
