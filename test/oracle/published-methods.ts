/** Which method is in which revision, for the schemas that are published: those are one set for all revisions. */

import { isUpTo, type Kind, type SchemaRevision, type Side } from './definitions.ts';

interface Row {
  readonly method: string;
  readonly definition: string;
  readonly from: readonly Side[];
  readonly kind: Kind;
  readonly since: SchemaRevision;
  readonly until: SchemaRevision;
}

const FIRST = '2024-11-05';
const LAST_STATEFUL = '2025-11-25';
const NEWEST = '2026-07-28';

function row(
  kind: Kind,
  from: readonly Side[],
  method: string,
  definition: string,
  since: SchemaRevision,
  until: SchemaRevision,
): Row {
  return { method, definition, from, kind, since, until };
}

const CLIENT = ['client'] as const;
const SERVER = ['server'] as const;
const BOTH = ['client', 'server'] as const;

const rows: readonly Row[] = [
  row('request', CLIENT, 'initialize', 'InitializeRequest', FIRST, LAST_STATEFUL),
  row('request', BOTH, 'ping', 'PingRequest', FIRST, LAST_STATEFUL),
  row('request', CLIENT, 'server/discover', 'DiscoverRequest', NEWEST, NEWEST),
  row('request', CLIENT, 'tools/list', 'ListToolsRequest', FIRST, NEWEST),
  row('request', CLIENT, 'tools/call', 'CallToolRequest', FIRST, NEWEST),
  row('request', CLIENT, 'prompts/list', 'ListPromptsRequest', FIRST, NEWEST),
  row('request', CLIENT, 'prompts/get', 'GetPromptRequest', FIRST, NEWEST),
  row('request', CLIENT, 'resources/list', 'ListResourcesRequest', FIRST, NEWEST),
  row('request', CLIENT, 'resources/templates/list', 'ListResourceTemplatesRequest', FIRST, NEWEST),
  row('request', CLIENT, 'resources/read', 'ReadResourceRequest', FIRST, NEWEST),
  row('request', CLIENT, 'resources/subscribe', 'SubscribeRequest', FIRST, LAST_STATEFUL),
  row('request', CLIENT, 'resources/unsubscribe', 'UnsubscribeRequest', FIRST, LAST_STATEFUL),
  row('request', CLIENT, 'subscriptions/listen', 'SubscriptionsListenRequest', NEWEST, NEWEST),
  row('request', CLIENT, 'completion/complete', 'CompleteRequest', FIRST, NEWEST),
  row('request', CLIENT, 'logging/setLevel', 'SetLevelRequest', FIRST, LAST_STATEFUL),
  row('request', SERVER, 'sampling/createMessage', 'CreateMessageRequest', FIRST, LAST_STATEFUL),
  row('request', SERVER, 'roots/list', 'ListRootsRequest', FIRST, LAST_STATEFUL),
  row('request', SERVER, 'elicitation/create', 'ElicitRequest', '2025-06-18', LAST_STATEFUL),

  row('request', BOTH, 'tasks/get', 'GetTaskRequest', LAST_STATEFUL, LAST_STATEFUL),
  row('request', BOTH, 'tasks/result', 'GetTaskPayloadRequest', LAST_STATEFUL, LAST_STATEFUL),
  row('request', BOTH, 'tasks/list', 'ListTasksRequest', LAST_STATEFUL, LAST_STATEFUL),
  row('request', BOTH, 'tasks/cancel', 'CancelTaskRequest', LAST_STATEFUL, LAST_STATEFUL),

  row('notification', BOTH, 'notifications/tasks/status', 'TaskStatusNotification', LAST_STATEFUL, LAST_STATEFUL),
  row('notification', CLIENT, 'notifications/initialized', 'InitializedNotification', FIRST, LAST_STATEFUL),
  row('notification', CLIENT, 'notifications/roots/list_changed', 'RootsListChangedNotification', FIRST, LAST_STATEFUL),
  row('notification', BOTH, 'notifications/cancelled', 'CancelledNotification', FIRST, NEWEST),
  row('notification', BOTH, 'notifications/progress', 'ProgressNotification', FIRST, LAST_STATEFUL),
  row('notification', SERVER, 'notifications/progress', 'ProgressNotification', NEWEST, NEWEST),
  row('notification', SERVER, 'notifications/message', 'LoggingMessageNotification', FIRST, NEWEST),
  row('notification', SERVER, 'notifications/tools/list_changed', 'ToolListChangedNotification', FIRST, NEWEST),
  row('notification', SERVER, 'notifications/prompts/list_changed', 'PromptListChangedNotification', FIRST, NEWEST),
  row('notification', SERVER, 'notifications/resources/list_changed', 'ResourceListChangedNotification', FIRST, NEWEST),
  row('notification', SERVER, 'notifications/resources/updated', 'ResourceUpdatedNotification', FIRST, NEWEST),
  row(
    'notification',
    SERVER,
    'notifications/elicitation/complete',
    'ElicitationCompleteNotification',
    LAST_STATEFUL,
    LAST_STATEFUL,
  ),
  row(
    'notification',
    SERVER,
    'notifications/subscriptions/acknowledged',
    'SubscriptionsAcknowledgedNotification',
    NEWEST,
    NEWEST,
  ),
];

/** Every method, once per direction and kind it is known in. */
export const PUBLISHED_METHODS: readonly Row[] = rows;

/** The definition of a method if the revision has it in this direction. */
export function publishedDefinition(
  revision: SchemaRevision,
  from: Side,
  kind: Kind,
  method: string,
): string | undefined {
  return rows.find(
    (one) =>
      one.method === method &&
      one.kind === kind &&
      one.from.includes(from) &&
      isUpTo(one.since, revision) &&
      isUpTo(revision, one.until),
  )?.definition;
}
