/** What browsers have to be told before they let a web page of another origin read an answer. */

import { printable } from '../../../jsonrpc/printable.ts';
import type { HttpRequest } from '../../../protocol/http/authenticate.ts';
import type { Fields } from './http-exchange.ts';

const EXPOSED = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, DPoP-Nonce, Retry-After';
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]{0,4096}$/;

/** For every answer to a page whose origin was let in. */
export function corsFields(request: HttpRequest): Fields | undefined {
  const origin = request.header('origin');
  if (origin === undefined) return undefined;
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' };
}

/** For the question a browser asks first: yes, with the methods of this endpoint and the headers the page wants to send. */
export function preflightFields(request: HttpRequest, methods: string): Fields {
  const wanted = request.header('access-control-request-headers') ?? '';
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': HEADER_NAMES.test(wanted) ? wanted : '',
    'access-control-max-age': '86400',
  };
}

/** The report of a web page that was refused. It has no stack: there is nothing to find in it. */
export function refusedPage(origin: string, reason: string): Error {
  const error = new Error(
    `A web page of ${printable(origin, 200)} got 403, which its browser shows as a CORS error. ${reason} This is reported once.`,
  );
  delete error.stack;
  return error;
}
