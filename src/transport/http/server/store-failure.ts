/** Failures of session stores, event stores and session buses: the client gets 503, keeps its session and can retry. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { isPromise, type MaybePromise } from '../../../jsonrpc/maybe-promise.ts';
import { Refusal } from './refusal.ts';

/** Throws a `Refusal` with 503 and `Retry-After`. The store's error goes to `onError` and is not sent. */
export function unavailable(cause: unknown): never {
  const error = RpcError.internal('The session cannot be reached at the moment: try again');
  throw new Refusal(503, error, undefined, { 'retry-after': '1' }, cause);
}

/** Returns the result of a store call. Throws or rejects with a `Refusal` with 503 if the call fails. */
export function fromStore<T>(action: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = action();
    return isPromise(result) ? Promise.resolve(result as Promise<T>).catch(unavailable) : result;
  } catch (error) {
    return unavailable(error);
  }
}
