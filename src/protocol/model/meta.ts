/** `_meta`: what rides along with a message without being part of its meaning. */

/** Free-form metadata. Keys follow the `_meta` key rules; unknown ones are passed through. */
export type Meta = Readonly<Record<string, unknown>>;

/** The `_meta` keys the protocol itself defines. */
export const MetaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  /** Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. */
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** Marks a structured result that is wrapped as `{ result: ... }` for revisions that know objects only, and its tool. */
export const WRAPPED_RESULT = 'mcpp/wrappedResult';

/** Says which block of a result's content is its structured content as text, for revisions that have no other place. */
export const STRUCTURED_TEXT = 'mcpp/structuredText';

/** W3C trace context, carried in `_meta` under its own names. */
export interface Trace {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const name = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?';
const prefixedKey = new RegExp(`^${label}(?:\\.${label})*/(?:${name})?$`);

/** True for a name with a prefix, as extensions need: `com.example/feature`. */
export function isPrefixedKey(key: string): boolean {
  return key.length <= 256 && prefixedKey.test(key);
}
