/** Copies a JSON value without creating its text: the in-process transport takes 2.4 times as long with JSON.parse(JSON.stringify()). */

import { EncodedJson } from '../message.ts';

// Deeper values go through JSON.stringify, which reports cycles.
const MAX_DEPTH = 100;

/** Returns the result of `JSON.parse(JSON.stringify(value))`. Throws the same errors. */
export function jsonCopy(value: unknown): unknown {
  return copy(value, MAX_DEPTH);
}

function copy(value: unknown, levels: number): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  // JSON has no minus zero, NaN or Infinity.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (value instanceof EncodedJson && value.value !== undefined) return copy(value.value, levels);
  if (typeof value !== 'object' || levels === 0 || 'toJSON' in value) return throughText(value);
  if (Array.isArray(value)) return copyArray(value, levels - 1);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null
    ? copyObject(value as Record<string, unknown>, levels - 1)
    : throughText(value);
}

function copyArray(values: readonly unknown[], levels: number): unknown[] {
  const copied: unknown[] = [];
  for (let at = 0; at < values.length; at++) copied.push(copy(values[at], levels) ?? null);
  return copied;
}

function copyObject(value: Record<string, unknown>, levels: number): unknown {
  const copied: Record<string, unknown> = {};
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    // An assignment would replace the prototype of the copy.
    if (key === '__proto__') return throughText(value);
    const member = copy(value[key], levels);
    if (member !== undefined) copied[key] = member;
  }
  return copied;
}

// For values that are not plain data: dates, instances of classes, functions.
function throughText(value: unknown): unknown {
  const text: string | undefined = value instanceof EncodedJson ? value.text : JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}
