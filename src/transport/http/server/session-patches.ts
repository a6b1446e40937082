/** Patches for the session store, from the changes that a message made to its session. */

import type { LoggingLevel } from '../../../protocol/model/logging.ts';
import type { Session } from '../../../protocol/session.ts';
import type { SessionPatch, StoredSession } from '../../../store/session-store.ts';
import type { SessionRecord } from './options.ts';

/** The mutable part of a session. */
export type SessionState = Pick<Session, 'initialized' | 'logLevel' | 'subscriptions'>;

/** Returns a copy of a stored session, without subscriptions. Handling a message can change the copy. */
export function sessionOf({ record, initialized, logLevel }: StoredSession<SessionRecord>): Session {
  const { session } = record;
  return { ...session, initialized, logLevel: (logLevel as LoggingLevel | undefined) ?? session.logLevel };
}

/** Returns the patches that turn `before` into `after`. */
export function patchesOf(before: SessionState, after: SessionState): SessionPatch[] {
  const patches: SessionPatch[] = [];
  if (after.initialized && !before.initialized) patches.push({ initialized: true });
  if (after.logLevel !== undefined && after.logLevel !== before.logLevel) patches.push({ logLevel: after.logLevel });
  if (after.subscriptions === before.subscriptions) return patches;
  const [had, has] = [new Set(before.subscriptions), new Set(after.subscriptions)];
  for (const uri of has) if (!had.has(uri)) patches.push({ subscribe: uri });
  for (const uri of had) if (!has.has(uri)) patches.push({ unsubscribe: uri });
  return patches;
}
