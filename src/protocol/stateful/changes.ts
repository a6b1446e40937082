/** Changes, told on the session's own stream without being asked again. */

import type { Notification } from '../../jsonrpc/message.ts';
import { isWithin, type ServerEvent } from '../model/changes.ts';
import { isLoud } from '../model/logging.ts';
import type { Session } from '../session.ts';

/** The notification that tells this session of a change, if it wants to know. */
export function deliver(change: ServerEvent, session: Session): Notification | undefined {
  if (!session.initialized) return undefined;
  const { declared, subscriptions, logLevel } = session;
  if (change.type === 'log') {
    const isWanted = declared.logging && logLevel !== undefined && isLoud(change.message.level, logLevel);
    return isWanted ? { jsonrpc: '2.0', method: 'notifications/message', params: { ...change.message } } : undefined;
  }
  if (change.type !== 'resource' && !declared[change.type]?.listChanged) return undefined;
  if (change.type !== 'resource') return { jsonrpc: '2.0', method: `notifications/${change.type}/list_changed` };
  if (!subscriptions.some((subscribed) => isWithin(change.uri, subscribed))) return undefined;
  return { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: change.uri } };
}
