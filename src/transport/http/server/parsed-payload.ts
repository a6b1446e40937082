/** Validates request bodies that a framework has already parsed. */

import { ParseError } from '../../../jsonrpc/errors.ts';
import type { JsonLimits } from '../../../jsonrpc/json/message-limits.ts';
import { checkPayload, type Payload, refuseInfinite } from '../../../jsonrpc/json/parse-message.ts';

/** Returns the messages of a parsed body, or a `ParseError` if the body is invalid or exceeds a limit. */
export function parsedPayload(value: unknown, { depth, elements }: JsonLimits): Payload {
  // Iterative, because recursion into a deeply nested value could overflow the stack.
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
