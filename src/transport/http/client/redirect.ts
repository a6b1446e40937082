/** Where a redirect leads, and whether it is followed. */

import { nameOfUrl } from '../../../client/http-options.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import { shorten } from '../../../jsonrpc/printable.ts';
import type { ResponseHead } from './sender.ts';

/** How many are followed for one request. */
export const MAX_REDIRECTS = 3;

const MAX_NAME = 256;

/** The URL to ask instead. Only on the same origin, and only where method and body stay what they are. */
export function redirectTarget({ status, header }: ResponseHead, from: URL): URL | ConnectionError {
  const location = header('location');
  const to = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (to?.protocol !== 'http:' && to?.protocol !== 'https:') {
    // A browser does not say where a redirect leads.
    const advice = 'connect to the URL that the server has now';
    return refusal(
      status,
      `${nameOfUrl(from)} redirects (HTTP status ${status}) and names no http: or https: URL: ${advice}`,
    );
  }
  if (status !== 307 && status !== 308) {
    return notFollowed(status, from, to, 'a POST would become a GET. If that is the MCP server,');
  }
  // What is meant for one server must not reach another, be it headers or arguments.
  if (to.origin !== from.origin) return notFollowed(status, from, to, 'it is another origin. If you trust it,');
  return to;
}

/** The error of a request that was redirected too often, the last time to this URL. */
export function tooManyRedirects(status: number, from: URL, to: URL): ConnectionError {
  return notFollowed(
    status,
    from,
    to,
    `it is redirect ${MAX_REDIRECTS + 1} of one request. If that is the MCP server,`,
  );
}

// Without the query, which may hold secrets.
function notFollowed(status: number, from: URL, to: URL, why: string): ConnectionError {
  const target = shorten(nameOfUrl(to), MAX_NAME);
  const text = `${nameOfUrl(from)} redirects to ${target} (HTTP status ${status}), which is not followed: ${why} connect to ${target}`;
  return refusal(status, text);
}

function refusal(status: number, text: string): ConnectionError {
  return new ConnectionError('http-error', text, { status });
}
