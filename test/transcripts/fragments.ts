/** What the revisions put around a message: written as `"...": "name"` in a transcript, spread out here. */

import type { Implementation } from 'mcpp';
import { isRecord, type SchemaRevision } from '../oracle/definitions.ts';
import { INFO } from './servers.ts';

/** What a conversation's client says of itself. */
export interface Caller {
  readonly revision: SchemaRevision;
  readonly capabilities: unknown;
}

const { name, version, title } = INFO;
const BRIEFLY = { name, version, ...(title === undefined ? {} : { title }) };
const CLIENT = { name: 'transcript', version: '1.0.0' };

type Fragment = (caller: Caller) => Record<string, unknown>;

const FRAGMENTS: ReadonlyMap<string, Fragment> = new Map<string, Fragment>([
  [
    'caller',
    ({ capabilities }) => ({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    }),
  ],
  ['complete', () => complete('complete')],
  ['input_required', () => complete('input_required')],
  ['cacheable', () => ({ ...complete('complete'), ttlMs: 0, cacheScope: 'private' })],
  // What the server is asked of itself it tells in full.
  ['discovered', () => ({ ...complete('complete', INFO), ttlMs: 0, cacheScope: 'private' })],
]);

function complete(resultType: string, info: Implementation = BRIEFLY): Record<string, unknown> {
  return { resultType, _meta: { 'io.modelcontextprotocol/serverInfo': info } };
}

/** A JSON value of a transcript with its fragments spread out. */
export function spread(value: unknown, caller: Caller): unknown {
  if (Array.isArray(value)) return value.map((one) => spread(one, caller));
  if (!isRecord(value)) return value;
  const { '...': name, ...rest } = value;
  const members = Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, spread(one, caller)]));
  if (name === undefined) return members;
  const [, always, bare = ''] = /^(stateless )?(.*)$/.exec(String(name)) ?? [];
  const fragment = FRAGMENTS.get(bare);
  if (!fragment) throw new Error(`There is no fragment "${name}"`);
  // Stateful revisions have no envelope: there a fragment is empty, unless the message speaks a stateless one.
  return always || caller.revision === '2026-07-28' ? merge(fragment(caller), members) : members;
}

// What the transcript says itself wins; two objects under one name, such as `_meta`, become one.
function merge(fragment: Record<string, unknown>, members: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...fragment };
  for (const [key, value] of Object.entries(members)) {
    const other = merged[key];
    merged[key] = isRecord(other) && isRecord(value) ? merge(other, value) : value;
  }
  return merged;
}

/** The params of `initialize`. */
export function opening({ revision, capabilities }: Caller): Record<string, unknown> {
  return { protocolVersion: revision, capabilities, clientInfo: CLIENT };
}
