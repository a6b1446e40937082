/** Leaving members out of plain objects. */

/** An object without some of its members; the same object if it has none of them. */
export function without<T extends object>(value: T, ...keys: string[]): T {
  if (!keys.some((key) => key in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T;
}
