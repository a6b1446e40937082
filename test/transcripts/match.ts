/** Compares a message with what a transcript expects, placeholders included. */

import { isRecord } from '../oracle/definitions.ts';

/** Values that were captured in a conversation, by name. */
export type Captured = Map<string, unknown>;

const TOKEN = /<any>|<\$[a-z][A-Za-z0-9]*>/;

/** Where a message differs from what is expected; undefined if it does not. Captures what it finds on the way. */
export function difference(expected: unknown, actual: unknown, captured: Captured, at = 'message'): string | undefined {
  if (typeof expected === 'string') return textDifference(expected, actual, captured, at);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return differs(expected, actual, at);
    if (actual.length !== expected.length) {
      return `${at} has ${actual.length} elements instead of ${expected.length}: ${JSON.stringify(actual)}`;
    }
    return first(expected.map((one, index) => () => difference(one, actual[index], captured, `${at}[${index}]`)));
  }
  if (isRecord(expected)) {
    if (!isRecord(actual)) return differs(expected, actual, at);
    const extra = Object.keys(actual).find((key) => !Object.hasOwn(expected, key));
    if (extra !== undefined) return `${at} has a member "${extra}" too many: ${JSON.stringify(actual[extra])}`;
    const missing = Object.keys(expected).find((key) => !Object.hasOwn(actual, key));
    if (missing !== undefined) return `${at} has no member "${missing}"`;
    return first(
      Object.keys(expected).map((key) => () => difference(expected[key], actual[key], captured, `${at}.${key}`)),
    );
  }
  return Object.is(expected, actual) ? undefined : differs(expected, actual, at);
}

function textDifference(expected: string, actual: unknown, captured: Captured, at: string): string | undefined {
  if (expected === '<any>') return undefined;
  const count = /^<(\d+) elements>$/.exec(expected)?.[1];
  if (count !== undefined) {
    return Array.isArray(actual) && actual.length === Number(count) ? undefined : differs(expected, actual, at);
  }
  const name = /^<\$(\w+)>$/.exec(expected)?.[1];
  if (name !== undefined) {
    if (!captured.has(name)) captured.set(name, actual);
    return Object.is(captured.get(name), actual) ? undefined : differs(captured.get(name), actual, at);
  }
  if (!TOKEN.test(expected)) return expected === actual ? undefined : differs(expected, actual, at);
  // Within a longer text a placeholder stands for some letters.
  const pattern = expected.split(TOKEN).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const fits = typeof actual === 'string' && new RegExp(`^${pattern.join('.*')}$`, 's').test(actual);
  return fits ? undefined : differs(expected, actual, at);
}

/** A value to be sent, with what was captured put in. */
export function filledIn(value: unknown, captured: Captured): unknown {
  if (Array.isArray(value)) return value.map((one) => filledIn(one, captured));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one, captured)]));
  const name = typeof value === 'string' ? /^<\$(\w+)>$/.exec(value)?.[1] : undefined;
  if (name === undefined) return value;
  if (!captured.has(name)) throw new Error(`Nothing was captured as "${name}"`);
  return captured.get(name);
}

function differs(expected: unknown, actual: unknown, at: string): string {
  return `${at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}
