/** Header fields of HTTP requests: those of the protocol, and those of the user. */

import type { HeaderFields } from '../../../client/http-options.ts';
import { isObject, isResponse, type Message } from '../../../jsonrpc/message.ts';
import { encodeHeaderValue } from '../../../protocol/http/http-headers.ts';
import { mcpNameOf } from '../../../protocol/methods.ts';
import { MetaKey } from '../../../protocol/model/meta.ts';
import type { HttpSession } from './session.ts';

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';
// Header fields about the body and the connection, which only the HTTP implementation may set.
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection']);

/** Returns the protocol's header fields for a message, from its `_meta` (stateless revisions) or from the session. */
export function messageHeaders(message: Message, session: HttpSession): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': JSON_TYPE,
    accept: `${JSON_TYPE}, ${EVENTS_TYPE}`,
  };
  const claim = claimOf(message);
  if (claim === undefined || isResponse(message)) {
    session.addHeaders(headers);
    return headers;
  }
  headers['mcp-protocol-version'] = claim;
  headers['mcp-method'] = message.method;
  const name = mcpNameOf(message.method, message.params);
  if (name !== undefined) headers['mcp-name'] = encodeHeaderValue(name);
  return headers;
}

/** Returns the header fields of a GET that opens an SSE stream, or that resumes it after `lastEventId`. */
export function streamHeaders(session: HttpSession, lastEventId: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { accept: EVENTS_TYPE };
  session.addHeaders(headers);
  if (lastEventId !== undefined) headers['last-event-id'] = bytesOf(lastEventId);
  return headers;
}

/** True if the header `Last-Event-ID` can carry the event id: up to 1,024 characters, no control characters. */
export function canResumeFrom(eventId: string): boolean {
  return eventId.length > 0 && eventId.length <= 1024 && [...eventId].every((char) => char >= ' ' && char !== '\x7f');
}

/** Merges header fields. Those of the protocol (`own`) have priority; of the added ones, the last has priority. */
export function mergedHeaders(own: HeaderFields, ...added: readonly (HeaderFields | undefined)[]): HeaderFields {
  if (added.every((fields) => fields === undefined)) return own;
  const merged: Record<string, string> = {};
  for (const fields of added) {
    for (const [name, value] of Object.entries(fields ?? {})) {
      if (!FRAMING.has(name.toLowerCase())) merged[name.toLowerCase()] = value;
    }
  }
  return Object.assign(merged, own);
}

function claimOf(message: Message): string | undefined {
  if (isResponse(message) || !isObject(message.params)) return undefined;
  const { _meta: meta } = message.params;
  const claim = isObject(meta) ? meta[MetaKey.protocolVersion] : undefined;
  return typeof claim === 'string' ? claim : undefined;
}

// Header values consist of bytes, so each byte of the UTF-8 encoding becomes a character below 256.
function bytesOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}
