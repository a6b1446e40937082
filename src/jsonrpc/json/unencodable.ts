import { printable } from '../printable.ts';

/** Returns the place (a JSON Pointer) and the reason for which `JSON.stringify` throws; undefined if it finds none. */
export function findUnencodable(value: unknown): string | undefined {
  // The objects that contain the current value, outermost first, and the key of each in its parent.
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
    // `JSON.stringify` throws the error whose place is searched.
  }
  return found;
}

/** Returns the JSON Pointer of a path. The first key is dropped: `JSON.stringify` passes '' for the root. */
function placeOf([, ...keys]: readonly string[]): string {
  if (keys.length === 0) return 'the value itself';
  return printable(keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''), 200);
}
