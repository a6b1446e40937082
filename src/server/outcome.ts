/** What a handler gave or threw, in the words of the request's revision: what its answer says. */

import { RpcError } from '../jsonrpc/errors.ts';
import { EncodedJson, type ErrorObject, isObject } from '../jsonrpc/message.ts';
import { plainResult } from '../jsonrpc/plain-result.ts';
import { METHODS } from '../protocol/methods.ts';
import type { RequestContext } from './context.ts';
import { ExtensionResult } from './extension-result.ts';
import { rpcFailure } from './failures.ts';
import { WrongReturn } from './returned.ts';
import { RoundEnd } from './round-end.ts';

/** The part of a response that is not its envelope. */
export type Outcome = { readonly result: object } | { readonly error: ErrorObject };

/** The result that was given. Throws if that is no result of the method. */
export function resultOf(ctx: RequestContext, value: unknown): object {
  const { method, wire, about, parts } = ctx;
  const { host, extensions } = parts;
  if (value instanceof EncodedJson) return value;
  if (value instanceof RoundEnd) {
    return wire.encodeResult(method, value.result, { resultType: 'input_required' }, host);
  }
  if (value instanceof ExtensionResult) {
    extensions.checkResult(value, ctx);
    return wire.encodeResult(method, plainResult(value.result), { resultType: value.resultType }, host);
  }
  const result = value === undefined ? {} : isObject(value) ? plainResult(value) : value;
  const member = METHODS.get(method)?.result;
  // A middleware that forgets to return what `next` gave ends here, too.
  if (!isObject(result) || (member !== undefined && !isObject(result[member]) && !Array.isArray(result[member]))) {
    throw new WrongReturn(
      `What was returned for ${method} is not ${member ? `an object with "${member}"` : 'an object'}`,
    );
  }
  const whole = extensions.addsMeta ? extensions.withMeta(result, ctx) : result;
  return wire.encodeResult(method, whole, about, host);
}

/** What the answer says of what was thrown. Never throws itself. */
export function failureOf(ctx: RequestContext, error: unknown): Outcome {
  const { method, wire, about, parts } = ctx;
  const failure = wire.encodeFailure(toRpcError(error, ctx));
  return 'error' in failure ? failure : { result: wire.encodeResult(method, failure.result, about, parts.host) };
}

// What was thrown may be anything, also an object whose every member throws.
function toRpcError(error: unknown, ctx: RequestContext): RpcError {
  try {
    return rpcFailure(error, ctx);
  } catch {
    return RpcError.internal();
  }
}
