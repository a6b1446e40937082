/** What the machines of one regular expression are made of, and how large they get. */

import type { RegexTree } from './regex-tree.ts';

/** How many look-arounds a pattern may have: their truths are the bits of a number. */
export const maxLooks = 8;

/** How many places a machine has: repeats that are counted are written out. */
export function programSize(tree: RegexTree): number {
  switch (tree.kind) {
    case 'sequence':
      return tree.parts.reduce((sum, part) => sum + programSize(part), 0);
    case 'choice':
      return tree.branches.reduce((sum, branch) => sum + programSize(branch), 1);
    case 'repeat': {
      const copies = Number.isFinite(tree.max) ? tree.max : Math.max(tree.min, 1);
      return copies * (programSize(tree.body) + 1) + 1;
    }
    case 'look':
      return 1 + programSize(tree.inside);
    default:
      return 1;
  }
}

/** Which characters a set has: `RegExp` knows best, and of a single character it says so at once. */
export function setOf(source: string, unicode: boolean): (code: number) => boolean {
  if (!/^[\\[.]/.test(source)) {
    const only = source.codePointAt(0);
    return (code) => code === only;
  }
  const expression = new RegExp(`^${source}$`, unicode ? 'u' : '');
  return (code) => expression.test(String.fromCodePoint(code));
}
