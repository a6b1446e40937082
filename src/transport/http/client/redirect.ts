/** Where a redirect leads, and whether we go there. */

import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { ResponseHead } from './sender.ts';

/** How many are followed for one request. */
export const MAX_REDIRECTS = 3;

/** The URL to ask instead. Only on the same origin, and only where method and body stay what they are. */
export function redirectTarget({ status, header }: ResponseHead, from: URL): URL | ConnectionError {
  const refuse = (why: string): ConnectionError =>
    new ConnectionError('http-error', `The server answered with a redirect (HTTP status ${status}) ${why}`, { status });
  if (status !== 307 && status !== 308) return refuse('that does not keep the request as it is; it is not followed');
  const location = header('location');
  const to = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (!to) return refuse('that does not say where to');
  // What is meant for one server must not reach another, be it headers or arguments.
  return to.origin === from.origin ? to : refuse('to another origin, which is not followed');
}
