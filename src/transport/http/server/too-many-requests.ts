/** Status 429 with `Retry-After` for `RpcError.tooManyRequests`. */

import { TOO_MANY_REQUESTS } from '../../../jsonrpc/errors.ts';
import { isBatch, isErrorResponse, isObject, type Response } from '../../../jsonrpc/message.ts';
import type { Fields } from './http-exchange.ts';

/** Returns the field `Retry-After` for a `tooManyRequests` error; undefined for every other response. */
export function tooManyRequestsFields(response: Response | readonly Response[]): Fields | undefined {
  if (isBatch(response) || !isErrorResponse(response as Response)) return undefined;
  const { error } = response as Extract<Response, { error: unknown }>;
  if (error.code !== TOO_MANY_REQUESTS || !isObject(error.data)) return undefined;
  const { retryAfterMs } = error.data;
  return typeof retryAfterMs === 'number' ? { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } : undefined;
}
