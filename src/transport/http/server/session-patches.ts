/** Changes that a message made to its session, as patches for the store. */

import type { LoggingLevel } from '../../../protocol/model/logging.ts';
import type { Session } from '../../../protocol/session.ts';
import type { SessionPatch, StoredSession } from '../../../store/session-store.ts';
import type { SessionRecord } from './options.ts';

/** The part of a session that changes. */
export type SessionState = Pick<Session, 'initialized' | 'logLevel' | 'subscriptions'>;

/** Returns the session for one POST or GET. It is a copy: handling the message may change it. */
export function sessionOf({ record, initialized, logLevel }: StoredSession<SessionRecord>): Session {
  const { session } = record;
  return { ...session, initialized, logLevel: (logLevel as LoggingLevel | undefined) ?? session.logLevel };
}

/** The patches that lead from one state to the other. */
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
