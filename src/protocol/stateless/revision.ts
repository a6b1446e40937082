/** The revisions without a handshake, from 2026-07-28 on: every request stands for itself. */

import { factsOf } from '../facts.ts';
import type { Revision } from '../revision.ts';
import { callerOf } from './caller.ts';
import { encodeFailure } from './failures.ts';
import { encodeItem } from './items.ts';
import { methods } from './methods.ts';
import { encodePage, encodeResult } from './results.ts';

/** The revision of this name. */
export function statelessRevision(version: string): Revision {
  const facts = factsOf(version);
  return {
    facts,
    methods,
    notifications: new Map(),
    callerOf,
    encodeItem: (_kind, item) => encodeItem(item),
    encodePage,
    encodeResult,
    encodeFailure,
    encodeProgress: (params) => params,
    // Changes reach only those who listen, and `subscriptions/listen` sees to that itself.
    deliver: () => undefined,
  };
}
