import { printable } from '../printable.ts';

// Bounds of the search. Real messages are smaller.
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;

/** Finds why `JSON.stringify` throws: returns the place (a JSON Pointer) and the reason, or undefined if it finds none. */
export function findUnencodable(value: unknown): string | undefined {
  try {
    return search(value);
  } catch {
    // A getter or a `toJSON` threw, as it did in `JSON.stringify`.
    return undefined;
  }
}

interface Step {
  readonly value: object;
  readonly parent: Step | undefined;
  readonly key: string;
  readonly depth: number;
}

function search(root: unknown): string | undefined {
  const open: Step[] = [];
  let left = MAX_VALUES;
  const visit = (given: unknown, key: string, parent: Step | undefined): string | undefined => {
    const value = jsonOf(given, key);
    if (typeof value === 'bigint')
      return `${placeOf(parent, key)} is a BigInt, which JSON cannot write: use String(value)`;
    if (typeof value !== 'object' || value === null) return undefined;
    for (let step = parent; step; step = step.parent) {
      if (step.value === value) {
        return `${placeOf(parent, key)} is the same object as ${placeOf(step.parent, step.key)}: JSON cannot write a cycle`;
      }
    }
    const depth = (parent?.depth ?? 0) + 1;
    if (depth <= MAX_DEPTH) open.push({ value, parent, key, depth });
    return undefined;
  };
  let found = visit(root, '', undefined);
  for (let step = open.pop(); step && !found; step = open.pop()) {
    for (const [key, member] of Object.entries(step.value)) {
      if (--left < 0) return undefined;
      found ??= visit(member, key, step);
    }
  }
  return found;
}

function jsonOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? toJSON.call(value, key) : value;
}

function placeOf(parent: Step | undefined, key: string): string {
  if (!parent) return 'the value itself';
  const keys = [key];
  for (let step: Step = parent; step.parent; step = step.parent) keys.unshift(step.key);
  return printable(keys.map((each) => `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''), 200);
}
