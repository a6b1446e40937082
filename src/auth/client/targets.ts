/** Where requests may go, and what a browser may be shown. Looks nothing up. */

import { isWithin, type Network, networkOfHost } from './networks.ts';

/** The most restricted network that requests may go to: the one that the MCP server itself is in. */
export type Reach = Exclude<Network, 'forbidden'>;

const OUT_OF_REACH: Readonly<Record<Network, string>> = {
  public: '',
  private: 'it is in a private network, and the MCP server is not',
  loopback: 'it is on this machine, and the MCP server is not',
  forbidden: 'it is a link-local, unspecified or cloud metadata address, which is never asked',
};

/** How far a server may lead, as far as its name or address alone tells. */
export function reachOfHost(hostname: string): Reach {
  const network = networkOfHost(hostname);
  return network === 'forbidden' ? 'private' : network;
}

/**
 * Why no request may be sent there: https, or http to a private network or this machine, and none of those beyond
 * `reach`. Without `reach` only the URL's form is checked.
 */
export function targetFault(url: URL, reach?: Reach): string | undefined {
  const fault = schemeFault(url);
  if (fault !== undefined) return fault;
  const network = networkOfHost(url.hostname);
  if (reach !== undefined && !isWithin(network, reach)) return OUT_OF_REACH[network];
  return url.protocol === 'http:' && network === 'public' ? 'it must use https' : undefined;
}

/** Why a browser may not be sent there: https, or http on this very machine. */
export function pageFault(url: URL): string | undefined {
  const fault = schemeFault(url);
  if (fault !== undefined) return fault;
  const isFine = url.protocol === 'https:' || isLoopbackHost(url.hostname);
  return isFine ? undefined : 'it must use https, or http on localhost';
}

/** Why answers may not be sent there: as for pages, and it may have no fragment. */
export function redirectUriFault(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return 'it is not an absolute URL';
  return redirectUri.includes('#') ? 'it must not have a fragment' : pageFault(new URL(redirectUri));
}

/** True for a redirect URI at which a program on this machine can wait by itself. */
export function canListenAt(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

/** True for a host that only this machine can reach, as `new URL().hostname` has it. */
export function isLoopbackHost(hostname: string): boolean {
  return networkOfHost(hostname) === 'loopback';
}

/** True for a host of a private network, as `new URL().hostname` has it: an address, or a name that has no meaning outside. */
export function isPrivateHost(hostname: string): boolean {
  return networkOfHost(hostname) !== 'public';
}

function schemeFault({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'it must use https';
  return username !== '' || password !== '' ? 'it must not have a user name or password' : undefined;
}
