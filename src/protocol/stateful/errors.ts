/** Encodes errors with the codes of each stateful revision. */

import type { RpcError } from '../../jsonrpc/errors.ts';
import type { ErrorObject } from '../../jsonrpc/message.ts';
import { Reason } from '../errors.ts';
import type { RevisionFeatures } from '../revisions.ts';

/** Encodes an error of a handler. Some revisions encode invalid arguments of a tool as a result with `isError`. */
export function encodeError(error: RpcError, features: RevisionFeatures): { error: ErrorObject } | { result: object } {
  const { message, data, reason } = error;
  if (reason === Reason.badArguments && features.badArguments === 'result') {
    return { result: { content: [{ type: 'text', text: message }], isError: true } };
  }
  const code = codeOf(error, features);
  return { error: data === undefined ? { code, message } : { code, message, data } };
}

function codeOf({ code, reason }: RpcError, features: RevisionFeatures): number {
  if (reason === Reason.resourceNotFound) return features.resourceNotFound;
  if (reason === Reason.missingCapability) return features.missingCapability;
  return code;
}
