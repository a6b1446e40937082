/** The rules of a received schema that look at a value by itself. */

import { isObject } from '../jsonrpc/message.ts';
import { canonical, isEqual } from './equal.ts';
import type { Check, Rule, Run } from './interpreter-run.ts';

const types: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map<unknown, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', Number.isFinite],
  ['integer', Number.isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', Array.isArray],
  ['object', isObject],
]);

const type: Rule = (names) => {
  const tests = [names].flat().flatMap((name) => types.get(name) ?? []);
  return (run, value, at) => tests.some((isOne) => isOne(value)) || run.fail(at, 'type', 'type', { type: names });
};

const constant: Rule = (allowed) => (run, value, at) =>
  isEqual(value, allowed, run.spend) || run.fail(at, 'const', 'const', { allowedValue: allowed });

const oneOfValues: Rule = (members) => {
  const allowed = Array.isArray(members) ? members : [];
  const plain = new Set(allowed.filter((member) => typeof member !== 'object' || member === null));
  const deep = allowed.filter((member) => typeof member === 'object' && member !== null);
  return (run, value, at) => {
    const isOne = plain.has(value) || deep.some((member) => isEqual(value, member, run.spend));
    return isOne || run.fail(at, 'enum', 'enum', { allowedValues: allowed.slice(0, 20) });
  };
};

const uniqueItems: Rule = (wanted) => {
  if (wanted !== true) return undefined;
  return (run, value, at) => {
    if (!Array.isArray(value)) return true;
    const distinct = new Set(value.map((item) => canonical(item, run.spend)));
    return distinct.size === value.length || run.fail(at, 'uniqueItems', 'must not have duplicate items');
  };
};

/** A rule about numbers, by what it asks of them. */
function number(keyword: string, words: string, fits: (value: number, limit: number) => boolean): [string, Rule] {
  const rule: Rule = (given): Check => {
    const limit = Number(given);
    return (run, value, at) =>
      typeof value !== 'number' || fits(value, limit) || run.fail(at, keyword, `must be ${words} ${limit}`);
  };
  return [keyword, rule];
}

type SizeOf = (value: unknown, limit: number, run: Run) => number | undefined;

/** A rule about how many there are of something; values that have none of it are let pass. */
function count(keyword: string, things: string, sizeOf: SizeOf) {
  const isMost = keyword.startsWith('max');
  const words = isMost ? 'must not have more than' : 'must not have fewer than';
  const rule: Rule = (given): Check => {
    const limit = Number(given);
    return (run, value, at) => {
      const size = sizeOf(value, limit, run);
      if (size === undefined) return true;
      return (isMost ? size <= limit : size >= limit) || run.fail(at, keyword, `${words} ${limit} ${things}`);
    };
  };
  return [keyword, rule] as const;
}

/** Characters are code points; most texts are far from the limit, and need not be counted. */
const charactersOf: SizeOf = (value, limit, run) => {
  if (typeof value !== 'string') return undefined;
  const { length } = value;
  if (length < limit) return length;
  if (length > 2 * limit) return Math.ceil(length / 2);
  run.spend(length / 4);
  let characters = 0;
  for (let index = 0; index < length; index++, characters++) {
    const isPair = (value.charCodeAt(index) & 0xfc00) === 0xd800 && (value.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    if (isPair) index++;
  }
  return characters;
};

const itemsOf: SizeOf = (value) => (Array.isArray(value) ? value.length : undefined);
const membersOf: SizeOf = (value, _, run) => (isObject(value) ? run.namesOf(value).length : undefined);

function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(value) && (1 / of) % 1 === 0) return true;
  const rest = value % of;
  return Math.min(Math.abs(rest), Math.abs(rest - of), Math.abs(rest + of)) < 1e-10;
}

export const valueRules: readonly (readonly [keyword: string, rule: Rule])[] = [
  ['type', type],
  count('minLength', 'characters', charactersOf),
  count('maxLength', 'characters', charactersOf),
  count('minItems', 'items', itemsOf),
  count('maxItems', 'items', itemsOf),
  count('minProperties', 'properties', membersOf),
  count('maxProperties', 'properties', membersOf),
  number('exclusiveMinimum', '>', (value, limit) => value > limit),
  number('exclusiveMaximum', '<', (value, limit) => value < limit),
  number('minimum', '>=', (value, limit) => value >= limit),
  number('maximum', '<=', (value, limit) => value <= limit),
  number('multipleOf', 'multiple of', isMultiple),
  ['const', constant],
  ['enum', oneOfValues],
  ['uniqueItems', uniqueItems],
];
