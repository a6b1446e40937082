/**
 * Requests to authorization servers over `fetch`: the runtime's own, or one that somebody gave us. It does not say which
 * address a name stands for, so only addresses in the URL itself, and names that are always private, are refused.
 */

import type { OAuthRequest, OAuthResponse, Send } from './exchange.ts';
import { Body, checkTarget, redirected, tooLarge, unreachable, withinTime } from './send-rules.ts';
import { type Reach, reachOfHost } from './targets.ts';

/** Sends a request with the runtime's `fetch`, redirects not followed. */
export const send: Send = (request, limits) => sendWith(fetch)(request, limits);

/** Sends requests with this `fetch`, redirects not followed. */
export function sendWith(fetch: typeof globalThis.fetch): Send {
  return (request, limits) =>
    withinTime(request.url, limits.signal, async (ended) => {
      checkTarget(request.url, limits);
      try {
        return await exchange(fetch, request, ended);
      } catch (error) {
        throw unreachable(request.url, error);
      }
    });
}

/** How far a server may lead, as far as its URL alone tells. */
export async function reachOf(url: URL): Promise<Reach> {
  return reachOfHost(url.hostname);
}

async function exchange(
  fetch: typeof globalThis.fetch,
  { method, url, headers, body }: OAuthRequest,
  signal: AbortSignal,
): Promise<OAuthResponse> {
  const options = { method, headers, signal, redirect: 'manual' } as const;
  const response = await fetch(url.href, body === undefined ? options : { ...options, body });
  const text = new Body();
  const reader = response.body?.getReader();
  try {
    if (response.type === 'opaqueredirect' || response.redirected) throw redirected(url);
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) break;
      // A fetch that does not heed its signal is told in the other way.
      signal.throwIfAborted();
      if (!text.add(value)) throw tooLarge(url);
    }
  } finally {
    // Frees the connection of an answer that was not read to its end.
    reader?.cancel().catch(() => {});
  }
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, body: text.text() };
}
