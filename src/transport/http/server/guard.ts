/** Checks `Host` and `Origin` header fields, against DNS rebinding and cross-origin requests of web pages. */

import type { HttpRequest } from '../../../protocol/http/authenticate.ts';

/** Options that decide which `Host` and `Origin` header fields are accepted. */
export interface GuardOptions {
  /**
   * Accepted `Host` header fields, such as `mcp.example.com` or `mcp.example.com:8443`. Without a port, every port is accepted.
   * Default: loopback names (against DNS rebinding), or `any` with `auth`.
   */
  readonly hosts?: readonly string[] | 'any' | undefined;
  /**
   * Origins of web pages that may call the server, such as `https://app.example.com`, besides pages of the server's own host.
   * Default: none. `serveHttp` and `nodeHandler` without `hosts` and `auth` also accept loopback pages from local browsers.
   */
  readonly origins?: readonly string[] | 'any' | undefined;
  readonly auth?: unknown;
}

/** Accepts or refuses requests by their `Host` and `Origin` header fields. */
export interface Guard {
  /** Returns the message of a 403; undefined if accepted. Loopback pages also need a loopback remote `address`. */
  refuse(request: HttpRequest, address?: string): string | undefined;
  /** Checks only `Host`, for documents that every web page may read. Returns the message of a 403; undefined if accepted. */
  refuseHost(request: HttpRequest): string | undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/;
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;
const DOTTED = /^\d+(?:\.\d+){3}$/;
const MAX_PORT = 65_535;
// Prefix of IPv4-mapped IPv6 addresses, which dual-stack sockets report for IPv4 clients.
const MAPPED = /^::ffff:(?=\d+\.)/i;
const ORIGIN = /^https?:\/\/([^/?#@\\]+)$/;

const BAD_HOST =
  'The Host header names a host this server does not answer to. Set the option "hosts" to the names it is reached by, ' +
  'for instance hosts: ["mcp.example.com"].';
const BAD_ORIGIN =
  'The Origin header names a web page that may not call this server. Set the option "origins" to those that may, ' +
  'for instance origins: ["https://app.example.com"].';

/** Creates the guard. Throws a `TypeError` for invalid options. */
export function guardOf({ hosts, origins, auth }: GuardOptions): Guard {
  if (auth !== undefined && typeof auth !== 'function') {
    throw new TypeError('auth must be a function that gives a principal or a challenge');
  }
  if (hosts?.length === 0) throw new TypeError('hosts is empty: nobody could reach the server');
  const isHost = hostCheck(hosts ?? (auth ? 'any' : undefined));
  const isOrigin = originCheck(origins ?? []);
  // Loopback pages are accepted only with default options, with which `Host` must be a loopback name too.
  const hasLocalPages = hosts === undefined && origins === undefined && auth === undefined;
  // Cache of the last accepted `Host` field, because nearly all requests send the same one.
  let last: { readonly said: string; readonly host: string } | undefined;
  const hostOf = (request: HttpRequest): string | undefined => {
    const said = request.header('host');
    if (said === undefined) return undefined;
    if (said === last?.said) return last.host;
    const host = said.toLowerCase();
    if (!isHost(host)) return undefined;
    last = { said, host };
    return host;
  };
  return {
    refuseHost: (request) => (hostOf(request) === undefined ? BAD_HOST : undefined),
    refuse(request, address) {
      const host = hostOf(request);
      if (host === undefined) return BAD_HOST;
      const origin = request.header('origin')?.toLowerCase();
      if (origin === undefined || isOrigin(origin, host)) return undefined;
      return hasLocalPages && isLocalPage(origin) && isLocalAddress(address) ? undefined : BAD_ORIGIN;
    },
  };
}

/** True for `localhost` and loopback IP addresses, which only this machine can reach. */
export function isLoopback(address: string): boolean {
  const name = address.toLowerCase();
  return LOOPBACK.test(name) && (name === '::1' || nameIn(name) !== undefined);
}

function isLocalPage(origin: string): boolean {
  const name = nameIn(ORIGIN.exec(origin)?.[1] ?? '');
  return name !== undefined && LOOPBACK.test(name);
}

function isLocalAddress(address: string | undefined): boolean {
  return address !== undefined && isLoopback(address.replace(MAPPED, ''));
}

/** Returns the host of a `Host` field without its port; undefined if the field is invalid. */
function nameIn(host: string): string | undefined {
  const [, name, port] = AUTHORITY.exec(host) ?? [];
  if (name === undefined || Number(port ?? 0) > MAX_PORT) return undefined;
  const isAddress = !DOTTED.test(name) || name.split('.').every((part) => Number(part) <= 255);
  return isAddress ? name : undefined;
}

function hostCheck(hosts: readonly string[] | 'any' | undefined): (host: string) => boolean {
  if (hosts === 'any') return (host) => nameIn(host) !== undefined;
  if (typeof hosts === 'string') throw new TypeError('hosts must be a list of host names, or "any"');
  const names = hosts && new Set(hosts.map(nameOfHost));
  return (host) => {
    const name = nameIn(host);
    if (name === undefined) return false;
    return names ? names.has(host) || names.has(name) : LOOPBACK.test(name);
  };
}

function nameOfHost(host: string): string {
  const name = host.toLowerCase();
  if (nameIn(name) === undefined)
    throw new TypeError(`hosts: "${host}" is no host name; expected one like "mcp.example.com"`);
  return name;
}

function originCheck(origins: readonly string[] | 'any'): (origin: string, host: string) => boolean {
  if (origins === 'any') return () => true;
  if (typeof origins === 'string') throw new TypeError('origins must be a list of origins, or "any"');
  const allowed = new Set(origins.map(nameOfOrigin));
  return (origin, host) => ORIGIN.exec(origin)?.[1] === host || allowed.has(origin);
}

function nameOfOrigin(origin: string): string {
  const name = URL.canParse(origin) ? new URL(origin).origin : 'null';
  if (name !== 'null') return name.toLowerCase();
  throw new TypeError(`origins: "${origin}" is no origin; expected one like "https://app.example.com"`);
}
