/** Stateless revisions, from 2026-07-28 on: each request carries its version, client and capabilities. */

import { encodeError } from '../errors.ts';
import { without } from '../params.ts';
import type { Revision } from '../revision.ts';
import type { RevisionFeatures } from '../revisions.ts';
import { callerOf } from './caller.ts';
import { encodePage, encodeResult } from './encode-results.ts';
import { methods } from './methods.ts';

/** Makes the server side of a stateless revision. */
export function statelessRevision(features: RevisionFeatures): Revision {
  return {
    features,
    methods,
    notifications: new Map(),
    callerOf,
    // `execution` of tools is removed, since only 2025-11-25 has it.
    encodeListEntry: (_kind, item) => without(item, 'execution'),
    encodePage,
    encodeResult,
    encodeError: (error) => encodeError(error, features),
    encodeInputRequest: ({ method, params }) => (params === undefined ? { method } : { method, params: { ...params } }),
    encodeProgress: (params) => params,
    // No notification is pushed: change notifications are sent on the stream of `subscriptions/listen`.
    notificationOf: () => undefined,
  };
}
