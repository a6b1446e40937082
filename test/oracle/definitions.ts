/** What the oracle asks of a source of schemas: the definitions of each revision, by the names the specification gives. */

/** The revisions that have a schema, oldest first. */
export const SCHEMA_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

/** One of them. */
export type SchemaRevision = (typeof SCHEMA_REVISIONS)[number];

/** Which end of a connection sent something. */
export type Side = 'client' | 'server';

/** Everything that is said with a method. */
export type Kind = 'request' | 'notification';

/** A source of schemas. */
export interface Definitions {
  readonly name: string;
  /** The definition of this method if the revision has it in this direction. */
  definitionOf(revision: SchemaRevision, from: Side, kind: Kind, method: string): string | undefined;
  /** Why a value does not fit the definition of this name. */
  fault(revision: SchemaRevision, definition: string, value: unknown): string | undefined;
}

/** The definition of the result of each request. */
export const RESULTS: ReadonlyMap<string, string> = new Map([
  ['initialize', 'InitializeResult'],
  ['server/discover', 'DiscoverResult'],
  ['ping', 'EmptyResult'],
  ['tools/list', 'ListToolsResult'],
  ['tools/call', 'CallToolResult'],
  ['prompts/list', 'ListPromptsResult'],
  ['prompts/get', 'GetPromptResult'],
  ['resources/list', 'ListResourcesResult'],
  ['resources/templates/list', 'ListResourceTemplatesResult'],
  ['resources/read', 'ReadResourceResult'],
  ['resources/subscribe', 'EmptyResult'],
  ['resources/unsubscribe', 'EmptyResult'],
  ['subscriptions/listen', 'SubscriptionsListenResult'],
  ['completion/complete', 'CompleteResult'],
  ['logging/setLevel', 'EmptyResult'],
  ['sampling/createMessage', 'CreateMessageResult'],
  ['roots/list', 'ListRootsResult'],
  ['elicitation/create', 'ElicitResult'],
  ['tasks/get', 'GetTaskResult'],
  ['tasks/result', 'GetTaskPayloadResult'],
  ['tasks/list', 'ListTasksResult'],
  ['tasks/cancel', 'CancelTaskResult'],
]);

/** The definition of each question a stateless server may put into a result. */
export const QUESTIONS: ReadonlyMap<unknown, string> = new Map([
  ['elicitation/create', 'ElicitRequest'],
  ['sampling/createMessage', 'CreateMessageRequest'],
  ['roots/list', 'ListRootsRequest'],
]);

/** True if a revision is older than another, or the same. */
export function isUpTo(revision: SchemaRevision, last: SchemaRevision): boolean {
  return SCHEMA_REVISIONS.indexOf(revision) <= SCHEMA_REVISIONS.indexOf(last);
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
