/** Stateless revisions, from 2026-07-28 on: each request carries its version, client and capabilities. */

import { without } from '../params.ts';
import type { Revision } from '../revision.ts';
import { featuresOf } from '../revisions.ts';
import { callerOf } from './caller.ts';
import { encodePage, encodeResult } from './encode-results.ts';
import { encodeError } from './errors.ts';
import { methods } from './methods.ts';

/** Makes the server side of a stateless revision. */
export function statelessRevision(version: string): Revision {
  const features = featuresOf(version);
  return {
    features,
    methods,
    notifications: new Map(),
    callerOf,
    // Only 2025-11-25 has `execution` of tools.
    encodeListEntry: (_kind, item) => without(item, 'execution'),
    encodePage,
    encodeResult,
    encodeError,
    encodeInputRequest: ({ method, params }) => (params === undefined ? { method } : { method, params: { ...params } }),
    encodeProgress: (params) => params,
    // `subscriptions/listen` sends change notifications.
    notificationOf: () => undefined,
  };
}
