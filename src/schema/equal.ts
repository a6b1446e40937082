/** When JSON Schema calls two values equal: the order of members does not count. */

import { isObject } from '../jsonrpc/message.ts';

const free = (): void => {};

/** Text that is equal for equal values. */
export function canonical(value: unknown, spend: (steps: number) => void = free): string {
  if (Array.isArray(value)) {
    spend(10 + value.length);
    return `[${value.map((item) => canonical(item, spend)).join()}]`;
  }
  if (!isObject(value)) {
    spend(typeof value === 'string' ? 10 + value.length : 10);
    return JSON.stringify(value) ?? 'null';
  }
  const members = Object.keys(value).sort();
  spend(20 + 30 * members.length);
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name], spend)}`).join()}}`;
}

/** Whether two values are equal, looking no further than the first difference. */
export function isEqual(left: unknown, right: unknown, spend: (steps: number) => void = free): boolean {
  spend(typeof left === 'string' && typeof right === 'string' ? 1 + Math.min(left.length, right.length) / 64 : 1);
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => isEqual(item, right[index], spend));
  }
  if (!isObject(left) || !isObject(right) || Array.isArray(right)) return left === right;
  const names = Object.keys(left);
  const others = Object.keys(right);
  spend(12 * (names.length + others.length));
  if (names.length !== others.length) return false;
  return names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name], spend));
}
