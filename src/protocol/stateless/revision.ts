/** The server side of stateless revisions, from 2026-07-28 on: each request carries version, client info and capabilities. */

import { encodeError } from '../errors.ts';
import { without } from '../params.ts';
import type { Revision } from '../revision.ts';
import type { RevisionFeatures } from '../revisions.ts';
import { callerOf } from './caller.ts';
import { encodePage, encodeResult, encodeStructuredResult } from './encode-results.ts';
import { methods } from './methods.ts';

export function statelessRevision(features: RevisionFeatures): Revision {
  return {
    features,
    methods,
    notifications: new Map(),
    callerOf,
    // Only tools of 2025-11-25 have `execution`.
    encodeListEntry: (_kind, item) => without(item, 'execution'),
    encodePage,
    encodeResult,
    encodeStructuredResult: (json, _result, _hints, server) => encodeStructuredResult(json, server),
    encodeError: (error) => encodeError(error, features),
    encodeInputRequest: ({ method, params }) => (params === undefined ? { method } : { method, params: { ...params } }),
    encodeProgress: (params) => params,
    // Change notifications are sent only on the stream of `subscriptions/listen`.
    notificationOf: () => undefined,
  };
}
