/** Stores that fail: the client may retry, and keeps its session. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { isPromise, type MaybePromise } from '../../../jsonrpc/maybe-promise.ts';
import { Refusal } from './refusal.ts';

/** Throws a refusal with 503 and Retry-After in place of the error of a store, which is reported and not sent. */
export function unavailable(cause: unknown): never {
  const error = RpcError.internal('The session cannot be reached at the moment: try again');
  throw new Refusal(503, error, undefined, { 'retry-after': '1' }, cause);
}

/** The result of a store; throws a refusal with 503 if it fails. */
export function fromStore<T>(action: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = action();
    return isPromise(result) ? Promise.resolve(result as Promise<T>).catch(unavailable) : result;
  } catch (error) {
    return unavailable(error);
  }
}
