/** The rules of a received schema that look at the items of arrays. */

import type { Check, Maker, Rule } from './interpreter-run.ts';

/** The first items, each by its own schema, and all the others by one. */
function items(first: unknown, rest: unknown, maker: Maker): Check {
  const firsts = Array.isArray(first) ? first.map((each) => maker.of(each)) : [];
  const others = rest === undefined ? undefined : maker.of(rest);
  return (run, value, at, seen) => {
    if (!Array.isArray(value)) return true;
    const reached = others ? value.length : Math.min(firsts.length, value.length);
    run.spend(5 * reached);
    let ok = true;
    for (let index = 0; index < reached && (ok || !run.isFull); index++) {
      seen?.indexes.add(index);
      const check = firsts[index] ?? others;
      if (check && !run.part(check, value[index], at, index)) ok = false;
    }
    return ok;
  };
}

const allItems: Rule = (given, maker, schema) =>
  Array.isArray(given) ? items(given, schema.additionalItems, maker) : items(schema.prefixItems, given, maker);
const prefixItems: Rule = (given, maker, schema) =>
  schema.items === undefined ? items(given, undefined, maker) : undefined;

const contains: Rule = (given, maker, { minContains, maxContains }) => {
  const check = maker.of(given);
  const least = minContains === undefined ? 1 : Number(minContains);
  // With patterns ignored, some of the items that fit may not.
  const isBounded = maxContains !== undefined && !maker.document.hasPatterns;
  const most = isBounded ? Number(maxContains) : Number.POSITIVE_INFINITY;
  return (run, value, at, seen) => {
    if (!Array.isArray(value)) return true;
    let found = 0;
    for (const [index, item] of value.entries()) {
      run.spend(15);
      if (!run.quietly(() => run.part(check, item, at, index))) continue;
      found++;
      seen?.indexes.add(index);
      if (found > most) return run.fail(at, 'contains', `must not contain more than ${most} valid items`);
      if (!seen && found >= least && most === Number.POSITIVE_INFINITY) break;
    }
    const words = least === 1 ? '1 valid item' : `${least} valid items`;
    return found >= least || run.fail(at, 'contains', `must contain at least ${words}`);
  };
};

const unevaluatedItems: Rule = (given, maker) => {
  const check = maker.of(given);
  return (run, value, at, seen) => {
    if (!Array.isArray(value)) return true;
    run.spend(15 * value.length);
    const isFine = (item: unknown, index: number): boolean =>
      seen?.indexes.has(index) === true || run.quietly(() => run.part(check, item, at, index));
    if (!value.every(isFine)) return run.fail(at, 'unevaluatedItems', 'must not have unevaluated items');
    for (const index of value.keys()) seen?.indexes.add(index);
    return true;
  };
};

export const arrayRules: readonly (readonly [keyword: string, rule: Rule])[] = [
  ['contains', contains],
  ['prefixItems', prefixItems],
  ['items', allItems],
];

/** Comes after all others, which say what is left for it. */
export const lastArrayRules: readonly (readonly [keyword: string, rule: Rule])[] = [
  ['unevaluatedItems', unevaluatedItems],
];
