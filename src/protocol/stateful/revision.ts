/** The revisions with a handshake, 2024-11-05 to 2025-11-25: the same code over different rows of facts. */

import { factsOf } from '../facts.ts';
import type { Revision } from '../revision.ts';
import { callerOf } from './caller.ts';
import { deliver } from './changes.ts';
import { encodeFailure } from './failures.ts';
import { encodeItem } from './items.ts';
import { methods, notifications } from './methods.ts';
import { encodePage, encodeResult } from './results.ts';

/** The revision of this name. */
export function statefulRevision(version: string): Revision {
  const facts = factsOf(version);
  return {
    facts,
    methods,
    notifications,
    callerOf: (_params, session) => callerOf(session),
    encodeItem: (kind, item) => encodeItem(kind, item, facts),
    encodePage,
    encodeResult: (method, result, about) => encodeResult(method, result, facts, about),
    encodeFailure: (failure) => encodeFailure(failure, facts),
    encodeProgress: ({ message, ...params }) =>
      message === undefined || !facts.progressMessage ? params : { ...params, message },
    deliver,
  };
}
