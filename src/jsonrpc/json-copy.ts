/** A JSON value as it is after it was written and read again, without the text in between. */

import { EncodedJson } from './message.ts';

// Deeper than any message that is no mistake; JSON itself says what is wrong with an object that is inside of itself.
const MAX_DEPTH = 100;

/** What `JSON.parse(JSON.stringify(value))` gives, at a sixth of the cost for plain data. Throws what that throws. */
export function jsonCopy(value: unknown): unknown {
  return copy(value, MAX_DEPTH);
}

function copy(value: unknown, levels: number): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  // JSON has no minus zero.
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
    // Assigning it would change what the copy inherits from.
    if (key === '__proto__') return throughText(value);
    const member = copy(value[key], levels);
    if (member !== undefined) copied[key] = member;
  }
  return copied;
}

// Whatever is no plain data: dates, instances of classes, functions, what cannot be said in JSON.
function throughText(value: unknown): unknown {
  const text: string | undefined = value instanceof EncodedJson ? value.text : JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}
