/** Sends OAuth requests with `fetch`, which hides the resolved addresses: the SSRF policy checks only the host in the URL. */

import type { OAuthRequest, OAuthResponse, Send } from './exchange.ts';
import { Body, checkTarget, redirected, tooLarge, unreachable, withinTime } from './send-rules.ts';
import { type Reach, reachOfHost } from './targets.ts';

export const send: Send = (request, limits) => sendWith(fetch)(request, limits);

/** Returns a function that sends requests with this `fetch`, without following redirects. */
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

/** Returns the SSRF policy for a server, judged by the host in its URL alone. */
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
      // A custom `fetch` could ignore the signal.
      signal.throwIfAborted();
      if (!text.add(value)) throw tooLarge(url);
    }
  } finally {
    // Closes the connection of a response that was not read to the end.
    reader?.cancel().catch(() => {});
  }
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, body: text.text() };
}
