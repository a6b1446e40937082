/** CORS header fields of responses, and the error report for refused web pages. */

import { printable } from '../../../jsonrpc/printable.ts';
import type { HttpRequest } from '../../../protocol/http/authenticate.ts';
import type { Fields } from './http-exchange.ts';

const EXPOSED = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, DPoP-Nonce, Retry-After';
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{0,4096}$/;

/** Returns the CORS header fields of a response to an allowed origin; undefined if the request has no `Origin` field. */
export function corsFields(request: HttpRequest): Fields | undefined {
  const origin = request.header('origin');
  if (origin === undefined) return undefined;
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
}

/** Returns the header fields of a CORS preflight response. Allows all valid header names that the page asks for. */
export function preflightFields(request: HttpRequest, methods: string): Fields {
  const wanted = request.header('access-control-request-headers') ?? '';
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': HEADER_NAMES.test(wanted) ? wanted : '',
    'access-control-max-age': '86400',
  };
}

/** Creates the error that `onError` gets for a refused web page. The stack is deleted, because it says nothing of the cause. */
export function refusedPage(origin: string, reason: string): Error {
  const error = new Error(
    `A web page of ${printable(origin, 200)} got 403, which its browser shows as a CORS error. ${reason} This is reported once.`,
  );
  delete error.stack;
  return error;
}
