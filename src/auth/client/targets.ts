/** SSRF policy: which URLs requests may be sent to and browsers may open. Makes no DNS lookups. */

import { isWithin, type Network, networkOfHost } from './networks.ts';

/** The most restricted network that requests may be sent to: the network of the MCP server. */
export type Reach = Exclude<Network, 'forbidden'>;

const OUT_OF_REACH: Readonly<Record<Network, string>> = {
  public: '',
  private: 'it is in a private network, and the MCP server is not',
  loopback: 'it is on this machine, and the MCP server is not',
  forbidden: 'it is a link-local, unspecified or cloud metadata address, which is never asked',
};

/** Returns the SSRF policy for a server, judged by its hostname or address alone. */
export function reachOfHost(hostname: string): Reach {
  const network = networkOfHost(hostname);
  return network === 'forbidden' ? 'private' : network;
}

/**
 * Returns why no request may be sent to a URL; undefined if it is allowed. Allowed are https:, and http: to private hosts, in
 * networks up to `reach`. Without `reach`, only scheme and credentials in the URL are checked.
 */
export function targetFault(url: URL, reach?: Reach): string | undefined {
  const fault = schemeFault(url);
  if (fault !== undefined) return fault;
  const network = networkOfHost(url.hostname);
  if (reach !== undefined && !isWithin(network, reach)) return OUT_OF_REACH[network];
  return url.protocol === 'http:' && network === 'public' ? 'it must use https' : undefined;
}

/** Returns why a browser may not open a URL; undefined if it may. Allowed are https:, and http: on loopback hosts. */
export function pageFault(url: URL): string | undefined {
  const fault = schemeFault(url);
  if (fault !== undefined) return fault;
  const isFine = url.protocol === 'https:' || isLoopbackHost(url.hostname);
  return isFine ? undefined : 'it must use https, or http on localhost';
}

/** Returns why a redirect URI is not allowed: it breaks the rules of `pageFault` or has a fragment. Undefined if allowed. */
export function redirectUriFault(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return 'it is not an absolute URL';
  return redirectUri.includes('#') ? 'it must not have a fragment' : pageFault(new URL(redirectUri));
}

/** True if this process can listen at a redirect URI: http: on 127.0.0.1, [::1] or localhost. */
export function canListenAt(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

/** True for a `URL.hostname` on this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return networkOfHost(hostname) === 'loopback';
}

/** True for a `URL.hostname` that is not public: a private address, or a name that is resolved in private networks only. */
export function isPrivateHost(hostname: string): boolean {
  return networkOfHost(hostname) !== 'public';
}

function schemeFault({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'it must use https';
  return username !== '' || password !== '' ? 'it must not have a user name or password' : undefined;
}
