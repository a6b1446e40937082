/** Errors in the numbers each stateful revision gives them. */

import type { RpcError } from '../../jsonrpc/errors.ts';
import type { ErrorObject } from '../../jsonrpc/message.ts';
import { Reason } from '../errors.ts';
import type { RevisionFeatures } from '../revisions.ts';

/** What a handler threw, as this revision tells it. */
export function encodeError(
  failure: RpcError,
  features: RevisionFeatures,
): { error: ErrorObject } | { result: object } {
  const { message, data, reason } = failure;
  if (reason === Reason.badArguments && features.badArguments === 'result') {
    return { result: { content: [{ type: 'text', text: message }], isError: true } };
  }
  const code = codeOf(failure, features);
  return { error: data === undefined ? { code, message } : { code, message, data } };
}

function codeOf({ code, reason }: RpcError, features: RevisionFeatures): number {
  if (reason === Reason.resourceNotFound) return features.resourceNotFound;
  if (reason === Reason.missingCapability) return features.missingCapability;
  return code;
}
