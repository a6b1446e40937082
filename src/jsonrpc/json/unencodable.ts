import { printable } from '../printable.ts';

/** Describes the BigInt or cycle for which `JSON.stringify` throws, with its JSON Pointer; undefined if there is none. */
export function findUnencodable(value: unknown): string | undefined {
  // Objects that contain the visited value, outermost first, and the key of each object in its parent.
  const parents: unknown[] = [];
  const keys: string[] = [];
  let found: string | undefined;
  function visit(this: unknown, key: string, inner: unknown): unknown {
    while (parents.length > 0 && parents.at(-1) !== this) {
      parents.pop();
      keys.pop();
    }
    const place = (): string => placeOf([...keys, key]);
    if (typeof inner === 'bigint') found = `${place()} is a BigInt, which JSON cannot write: use String(value)`;
    if (typeof inner !== 'object' || inner === null) return inner;
    const at = parents.indexOf(inner);
    if (at >= 0) {
      const other = placeOf(keys.slice(0, at + 1));
      found = `${place()} is the same object as ${other}: JSON cannot write a cycle`;
    }
    parents.push(inner);
    keys.push(key);
    return inner;
  }
  try {
    JSON.stringify(value, visit);
  } catch {
    // Expected: `visit` has stored the cause of this error in `found`.
  }
  return found;
}

/** Returns the JSON Pointer of a path. Drops the first key, because `JSON.stringify` passes '' as the key of the root. */
function placeOf([, ...keys]: readonly string[]): string {
  if (keys.length === 0) return 'the value itself';
  return printable(keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''), 200);
}
