import { MAX_PATH_CHARACTERS, MAX_VALUE_DEPTH, MAX_VALUES } from '../limits.ts';

/** True if a value is within `MAX_VALUES`, `MAX_PATH_CHARACTERS` and `MAX_VALUE_DEPTH`: small enough to list all its errors. */
export function isSmall(value: unknown): boolean {
  let values = 0;
  let characters = 0;
  return isWithin(value, 0, 0);

  function isWithin(each: unknown, pathLength: number, depth: number): boolean {
    values++;
    characters += pathLength;
    if (values > MAX_VALUES || characters > MAX_PATH_CHARACTERS || depth > MAX_VALUE_DEPTH) return false;
    if (typeof each !== 'object' || each === null) return true;
    if (Array.isArray(each)) {
      for (const item of each) if (!isWithin(item, pathLength + 6, depth + 1)) return false;
      return true;
    }
    for (const name of Object.keys(each)) {
      const member = (each as Record<string, unknown>)[name];
      if (!isWithin(member, pathLength + name.length + 1, depth + 1)) return false;
    }
    return true;
  }
}
