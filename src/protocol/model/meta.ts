/** `_meta` of messages, and the syntax of its keys. */

/** Metadata of a message. Unknown keys are passed through. */
export type Meta = Readonly<Record<string, unknown>>;

/** Keys of `_meta` that the protocol defines. */
export const MetaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  /** Minimum level of log messages. Deprecated by the specification (SEP-2577): logging may be removed from 2027-07-28 on. */
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** `_meta` key of tools and results whose structured content is wrapped as `{ result: ... }` to make it an object. */
export const WRAPPED_RESULT = 'mcpp/wrappedResult';

/** `_meta` key of results without `structuredContent`. Value: index of the text block with the structured content as JSON. */
export const STRUCTURED_TEXT = 'mcpp/structuredText';

/** W3C trace context, sent in `_meta` under keys without a prefix. */
export interface Trace {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const name = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?';
const prefixedKey = new RegExp(`^${label}(?:\\.${label})*/(?:${name})?$`);

/** Returns true for a valid `_meta` key or extension id with a prefix, such as `com.example/feature`. */
export function isPrefixedKey(key: string): boolean {
  return key.length <= 256 && prefixedKey.test(key);
}
