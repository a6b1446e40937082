/** One row per method: who sends it, in which revisions it lives, and what is peculiar to it. */

import { isObject } from '../jsonrpc/message.ts';

/** What is to be known of a method. */
export interface MethodRow {
  readonly method: string;
  readonly kind: 'request' | 'notification';
  readonly from: 'client' | 'server' | 'both';
  readonly revisions: readonly string[];
  /** The member its result cannot be without. */
  readonly result?: string;
  /** The server may ask the client something before it answers, on every revision. */
  readonly mayRequireInput?: true;
  /** It is answered when it ends, not when it is done. */
  readonly isLongLived?: true;
  /** The member of its params that HTTP repeats as `Mcp-Name`. */
  readonly named?: 'name' | 'uri';
  /** Its result may be kept, and says for how long where the revision has words for that. No others may. */
  readonly cacheable?: true;
}

const stateful = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const stateless = ['2026-07-28'];
const all = [...stateful, ...stateless];
const elicitation = ['2025-06-18', '2025-11-25'];

const request = (from: MethodRow['from'], method: string, revisions: readonly string[]) =>
  ({ method, kind: 'request', from, revisions }) as const;

const notification = (from: MethodRow['from'], method: string, revisions: readonly string[]) =>
  ({ method, kind: 'notification', from, revisions }) as const;

const rows: readonly MethodRow[] = [
  request('client', 'initialize', stateful),
  notification('client', 'notifications/initialized', stateful),
  { ...request('client', 'server/discover', stateless), cacheable: true },
  request('both', 'ping', stateful),

  { ...request('client', 'tools/list', all), result: 'tools', cacheable: true },
  { ...request('client', 'tools/call', all), result: 'content', mayRequireInput: true, named: 'name' },
  { ...request('client', 'prompts/list', all), result: 'prompts', cacheable: true },
  { ...request('client', 'prompts/get', all), result: 'messages', mayRequireInput: true, named: 'name' },
  { ...request('client', 'resources/list', all), result: 'resources', cacheable: true },
  { ...request('client', 'resources/templates/list', all), result: 'resourceTemplates', cacheable: true },
  {
    ...request('client', 'resources/read', all),
    result: 'contents',
    mayRequireInput: true,
    named: 'uri',
    cacheable: true,
  },
  request('client', 'resources/subscribe', stateful),
  request('client', 'resources/unsubscribe', stateful),
  { ...request('client', 'subscriptions/listen', stateless), isLongLived: true },
  notification('server', 'notifications/subscriptions/acknowledged', stateless),
  { ...request('client', 'completion/complete', all), result: 'completion' },
  request('client', 'logging/setLevel', stateful),

  // Under stateless revisions these three travel inside a result, never as requests.
  request('server', 'sampling/createMessage', stateful),
  request('server', 'roots/list', stateful),
  request('server', 'elicitation/create', elicitation),

  notification('both', 'notifications/cancelled', all),
  notification('both', 'notifications/progress', all),
  notification('server', 'notifications/message', all),
  notification('server', 'notifications/tools/list_changed', all),
  notification('server', 'notifications/prompts/list_changed', all),
  notification('server', 'notifications/resources/list_changed', all),
  notification('server', 'notifications/resources/updated', all),
  notification('client', 'notifications/roots/list_changed', stateful),
  notification('server', 'notifications/elicitation/complete', ['2025-11-25']),
];

/** Every method of the protocol, by name. */
export const METHODS: ReadonlyMap<string, MethodRow> = new Map(rows.map((row) => [row.method, row]));

/** False for a method that the protocol has, but not in this revision. A method of one's own lives everywhere. */
export function isInRevision(method: string, version: string): boolean {
  const row = METHODS.get(method);
  return row === undefined || row.revisions.includes(version);
}

/** True if a stateless client can be asked something before this method is answered. */
export function mayRequireInput(method: string): boolean {
  return METHODS.get(method)?.mayRequireInput === true;
}

/** True if the result of this method may be kept. */
export function isCacheable(method: string): boolean {
  return METHODS.get(method)?.cacheable === true;
}

/**
 * What a request is about, which HTTP repeats as `Mcp-Name`: a tool, a prompt or a resource, or what the methods of
 * extensions have for a name.
 */
export function mcpNameOf(
  method: string,
  params: unknown,
  ofExtensions?: ReadonlyMap<string, string>,
): string | undefined {
  const member = METHODS.get(method)?.named ?? ofExtensions?.get(method);
  const name = member && isObject(params) ? params[member] : undefined;
  return typeof name === 'string' ? name : undefined;
}
