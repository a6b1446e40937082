/** Changes, told on the session's own stream without being asked again. */

import type { Notification } from '../../jsonrpc/message.ts';
import { type Change, isWithin } from '../model/changes.ts';
import type { Session } from '../session.ts';

/** The notification that tells this session of a change, if it wants to know. */
export function deliver(change: Change, session: Session): Notification | undefined {
  if (!session.initialized) return undefined;
  const { declared, subscriptions } = session;
  if (change.type !== 'resource' && !declared[change.type]?.listChanged) return undefined;
  if (change.type !== 'resource') return { jsonrpc: '2.0', method: `notifications/${change.type}/list_changed` };
  if (!subscriptions.some((subscribed) => isWithin(change.uri, subscribed))) return undefined;
  return { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: change.uri } };
}
