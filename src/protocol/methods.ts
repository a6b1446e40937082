/** Table of the protocol's methods: sender, revisions, and properties of params and results. */

import { isObject } from '../jsonrpc/message.ts';
import { type Family, REVISIONS } from './revisions.ts';

export interface MethodRow {
  readonly method: string;
  readonly kind: 'request' | 'notification';
  readonly from: 'client' | 'server' | 'both';
  readonly revisions: readonly string[];
  /** Name of the member that a result of the method must have. */
  readonly result?: string;
  /** Set if the handler may send input requests. In stateless revisions the result can then be `input_required`. */
  readonly mayRequireInput?: true;
  /** Set if the request stays open until the client or the server ends it. */
  readonly isLongLived?: true;
  /** Name of the params member that HTTP requests repeat in the header `Mcp-Name`. */
  readonly named?: 'name' | 'uri';
  /** Set if clients may cache the result. Stateless revisions add cache hints to the result. */
  readonly cacheable?: true;
}

const versionsOf = (family: Family): string[] =>
  REVISIONS.filter((features) => features.family === family).map(({ version }) => version);
const stateful = versionsOf('stateful');
const stateless = versionsOf('stateless');
const all = [...stateful, ...stateless];
const elicitation = ['2025-06-18', '2025-11-25'];

type Details = Omit<MethodRow, 'method' | 'kind' | 'from' | 'revisions'>;

const request = (from: MethodRow['from'], method: string, revisions: readonly string[], details?: Details) =>
  ({ method, kind: 'request', from, revisions, ...details }) as const;

const notification = (from: MethodRow['from'], method: string, revisions: readonly string[]) =>
  ({ method, kind: 'notification', from, revisions }) as const;

const rows: readonly MethodRow[] = [
  request('client', 'initialize', stateful),
  notification('client', 'notifications/initialized', stateful),
  request('client', 'server/discover', stateless, { cacheable: true }),
  request('both', 'ping', stateful),

  request('client', 'tools/list', all, { result: 'tools', cacheable: true }),
  request('client', 'tools/call', all, { result: 'content', mayRequireInput: true, named: 'name' }),
  request('client', 'prompts/list', all, { result: 'prompts', cacheable: true }),
  request('client', 'prompts/get', all, { result: 'messages', mayRequireInput: true, named: 'name' }),
  request('client', 'resources/list', all, { result: 'resources', cacheable: true }),
  request('client', 'resources/templates/list', all, { result: 'resourceTemplates', cacheable: true }),
  request('client', 'resources/read', all, {
    result: 'contents',
    mayRequireInput: true,
    named: 'uri',
    cacheable: true,
  }),
  request('client', 'resources/subscribe', stateful),
  request('client', 'resources/unsubscribe', stateful),
  request('client', 'subscriptions/listen', stateless, { isLongLived: true }),
  notification('server', 'notifications/subscriptions/acknowledged', stateless),
  request('client', 'completion/complete', all, { result: 'completion' }),
  request('client', 'logging/setLevel', stateful),

  // In stateless revisions, sampling, roots and elicitation are input requests inside an `input_required` result.
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

export const METHODS: ReadonlyMap<string, MethodRow> = new Map(rows.map((row) => [row.method, row]));

/** Returns true if the revision has the method, or if the method is custom (in no revision). */
export function isInRevision(method: string, version: string): boolean {
  const row = METHODS.get(method);
  return row === undefined || row.revisions.includes(version);
}

export function isCacheable(method: string): boolean {
  return METHODS.get(method)?.cacheable === true;
}

/** Returns the name or URI in the params that the header `Mcp-Name` repeats. `ofExtensions` is the result of `mcpNamesOf`. */
export function mcpNameOf(
  method: string,
  params: unknown,
  ofExtensions?: ReadonlyMap<string, string>,
): string | undefined {
  const member = METHODS.get(method)?.named ?? ofExtensions?.get(method);
  const name = member && isObject(params) ? params[member] : undefined;
  return typeof name === 'string' ? name : undefined;
}
