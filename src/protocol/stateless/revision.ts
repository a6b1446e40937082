/** The revisions without a handshake, from 2026-07-28 on: each request carries its version and its caller. */

import type { Params } from '../../jsonrpc/message.ts';
import type { InputRequest } from '../model/input-requests.ts';
import { without } from '../params.ts';
import type { Revision } from '../revision.ts';
import { featuresOf } from '../revisions.ts';
import { callerOf } from './caller.ts';
import { encodePage, encodeResult } from './encode-results.ts';
import { encodeError } from './errors.ts';
import { methods } from './methods.ts';

/** The revision of this name. */
export function statelessRevision(version: string): Revision {
  const features = featuresOf(version);
  return {
    features,
    methods,
    notifications: new Map(),
    callerOf,
    encodeListEntry: (_kind, item) => encodeItem(item),
    encodePage,
    encodeResult,
    encodeError,
    encodeInputRequest: encodeQuestion,
    encodeProgress: (params) => params,
    // `subscriptions/listen` sends the notifications itself.
    notificationOf: () => undefined,
  };
}

/** The entry as it is, but for what only the experimental tasks of 2025-11-25 needed. */
function encodeItem(item: object): object {
  return without(item, 'execution');
}

/** The question as it stands in `inputRequests`. */
function encodeQuestion(question: InputRequest): { method: string; params?: Params } {
  const { method, params } = question;
  return params === undefined ? { method } : { method, params: { ...params } };
}
