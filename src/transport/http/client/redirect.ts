/** Follows redirects with status 307 or 308 on the same origin, and explains why others are refused. */

import { nameOfUrl } from '../../../client/http-options.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import { shorten } from '../../../jsonrpc/printable.ts';
import type { ResponseHead } from './sender.ts';

/** Maximum number of redirects of one request. */
export const MAX_REDIRECTS = 3;

const MAX_NAME = 256;

/** Returns the target, or an error unless a 307 or 308 (which keep method and body) redirects to the same origin. */
export function redirectTarget({ status, header }: ResponseHead, from: URL): URL | ConnectionError {
  const location = header('location');
  const to = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (to?.protocol !== 'http:' && to?.protocol !== 'https:') {
    // In browsers, `fetch` hides the target of a redirect.
    const advice = 'connect to the URL that the server has now';
    return refusal(
      status,
      `${nameOfUrl(from)} redirects (HTTP status ${status}) and names no http: or https: URL: ${advice}`,
    );
  }
  if (status !== 307 && status !== 308) {
    return notFollowed(status, from, to, 'a POST would become a GET. If that is the MCP server,');
  }
  // Header fields and tool arguments can hold secrets, which another origin must not receive.
  if (to.origin !== from.origin) return notFollowed(status, from, to, 'it is another origin. If you trust it,');
  return to;
}

/** Returns the error for a request with more than `MAX_REDIRECTS` redirects. `to` is the target of the last redirect. */
export function tooManyRedirects(status: number, from: URL, to: URL): ConnectionError {
  return notFollowed(
    status,
    from,
    to,
    `it is redirect ${MAX_REDIRECTS + 1} of one request. If that is the MCP server,`,
  );
}

// The URLs are shown without their queries, which can hold secrets.
function notFollowed(status: number, from: URL, to: URL, why: string): ConnectionError {
  const target = shorten(nameOfUrl(to), MAX_NAME);
  const text = `${nameOfUrl(from)} redirects to ${target} (HTTP status ${status}), which is not followed: ${why} connect to ${target}`;
  return refusal(status, text);
}

function refusal(status: number, text: string): ConnectionError {
  return new ConnectionError('http-error', text, { status });
}
