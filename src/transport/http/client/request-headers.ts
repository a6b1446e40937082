/** The header fields of a request: what the protocol wants repeated there, and what users add. */

import type { HeaderFields } from '../../../client/http-options.ts';
import { isObject, isResponse, type Message } from '../../../jsonrpc/message.ts';
import { encodeHeaderValue } from '../../../protocol/http/http-headers.ts';
import { mcpNameOf } from '../../../protocol/methods.ts';
import { MetaKey } from '../../../protocol/model/meta.ts';
import type { HttpSession } from './session.ts';

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';
// How long a body is says whoever sends it.
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection']);

/** Those of a message. What it says of itself in `_meta` counts; without that it belongs to the session. */
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

/** Those of a request for a stream, from behind the event with this id. */
export function streamHeaders(session: HttpSession, lastEventId: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { accept: EVENTS_TYPE };
  session.addHeaders(headers);
  if (lastEventId !== undefined) headers['last-event-id'] = bytesOf(lastEventId);
  return headers;
}

/** False for an id that a header cannot carry. */
export function canResumeFrom(eventId: string): boolean {
  return eventId.length > 0 && eventId.length <= 1024 && [...eventId].every((char) => char >= ' ' && char !== '\x7f');
}

/** The protocol's own fields win over what users add, and of that the later over the earlier. */
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

// A header is bytes, which are written as characters below 256.
function bytesOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}
