/** The server side of the stateful revisions, 2024-11-05 to 2025-11-25. `revisions.ts` lists their differences. */

import type { Notification } from '../../jsonrpc/message.ts';
import { encodeError } from '../errors.ts';
import { isWithin, type ServerEvent } from '../model/changes.ts';
import { isAtLeast } from '../model/logging.ts';
import type { Revision } from '../revision.ts';
import type { RevisionFeatures } from '../revisions.ts';
import type { Session } from '../session.ts';
import { encodeListEntry } from './encode-lists.ts';
import { encodePage, encodeResult, encodeStructuredResult } from './encode-results.ts';
import { callerOf } from './initialize.ts';
import { encodeInputRequest } from './input-requests.ts';
import { methods, notifications } from './methods.ts';

export function statefulRevision(features: RevisionFeatures): Revision {
  return {
    features,
    methods,
    notifications,
    callerOf: (_params, session) => callerOf(session),
    encodeListEntry: (kind, item) => encodeListEntry(kind, item, features),
    encodePage,
    encodeResult: (row, result, hints) => encodeResult(row, result, features, hints),
    encodeStructuredResult: (json, result, hints) => encodeStructuredResult(json, result, features, hints),
    encodeError: (error) => encodeError(error, features),
    encodeInputRequest: (request) => encodeInputRequest(request, features),
    encodeProgress: ({ message, ...params }) =>
      message === undefined || !features.progressMessage ? params : { ...params, message },
    notificationOf,
  };
}

function notificationOf(change: ServerEvent, session: Session): Notification | undefined {
  if (!session.initialized) return undefined;
  const { declared, subscriptions, logLevel } = session;
  if (change.type === 'log') {
    const isWanted = declared.logging && logLevel !== undefined && isAtLeast(change.message.level, logLevel);
    return isWanted ? { jsonrpc: '2.0', method: 'notifications/message', params: { ...change.message } } : undefined;
  }
  if (change.type !== 'resource' && !declared[change.type]?.listChanged) return undefined;
  if (change.type !== 'resource') return { jsonrpc: '2.0', method: `notifications/${change.type}/list_changed` };
  if (!subscriptions.some((subscribed) => isWithin(change.uri, subscribed))) return undefined;
  return { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: change.uri } };
}
