/** Bodies that a framework has parsed: what they hold has the same limits as what is parsed here. */

import { ParseError } from '../../../jsonrpc/errors.ts';
import type { JsonLimits } from '../../../jsonrpc/json/json-limits.ts';
import { checkPayload, type Payload, refuseInfinite } from '../../../jsonrpc/json/parse-message.ts';

/** The messages in it. */
export function parsedPayload(value: unknown, { depth, elements }: JsonLimits): Payload {
  // Not by recursion: how deep it goes is not known yet.
  const open: { readonly value: object; readonly level: number }[] = [];
  const enter = (inner: unknown, level: number): void => {
    if (typeof inner === 'object' && inner !== null) open.push({ value: inner, level });
  };
  let count = 0;
  enter(value, 1);
  for (let one = open.pop(); one; one = open.pop()) {
    const inside: unknown[] = Object.values(one.value);
    count += Math.max(inside.length, 1);
    if (one.level > depth) return new ParseError('TooDeep', `Invalid request: more than ${depth} levels of nesting`);
    if (count > elements) return new ParseError('TooManyElements', `Invalid request: more than ${elements} elements`);
    for (const inner of inside) enter(inner, one.level + 1);
  }
  return refuseInfinite(checkPayload(value));
}
