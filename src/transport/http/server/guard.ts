/** Who may speak to an HTTP endpoint: the names it answers to, and the web pages that may call it. */

import type { HttpRequest } from '../../../protocol/http/authenticate.ts';

/** What every face of an endpoint is guarded by. */
export interface GuardOptions {
  /**
   * The names this server is reached by, as `mcp.example.com` or `mcp.example.com:8443`; without a port any port will
   * do. Default: the names of this machine's loopback, or `any` with `auth`.
   */
  readonly hosts?: readonly string[] | 'any' | undefined;
  /**
   * Web pages of other origins that may call it, as `https://app.example.com`. Default: pages of its own host; for `serveHttp` and
   * `nodeHandler` without `hosts` and `auth` also pages of this machine (`http://localhost:5173`), from a browser on it.
   */
  readonly origins?: readonly string[] | 'any' | undefined;
  readonly auth?: unknown;
}

/** Refuses what DNS rebinding and foreign web pages would get in by. */
export interface Guard {
  /**
   * Why the request may not pass, for a 403; undefined if it may. `address` is the remote address of the connection: without it
   * pages of this machine are refused like any other.
   */
  refuse(request: HttpRequest, address?: string): string | undefined;
  /** The same for what every web page may read. */
  refuseHost(request: HttpRequest): string | undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/;
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;
const DOTTED = /^\d+(?:\.\d+){3}$/;
const MAX_PORT = 65_535;
// An IPv4 address as sockets show it that listen to both kinds.
const MAPPED = /^::ffff:(?=\d+\.)/i;
const ORIGIN = /^https?:\/\/([^/?#@\\]+)$/;

const BAD_HOST =
  'The Host header names a host this server does not answer to. Set the option "hosts" to the names it is reached by, ' +
  'for instance hosts: ["mcp.example.com"].';
const BAD_ORIGIN =
  'The Origin header names a web page that may not call this server. Set the option "origins" to those that may, ' +
  'for instance origins: ["https://app.example.com"].';

/** The guard these options ask for. */
export function guardOf({ hosts, origins, auth }: GuardOptions): Guard {
  if (auth !== undefined && typeof auth !== 'function') {
    throw new TypeError('auth must be a function that gives a principal or a challenge');
  }
  if (hosts?.length === 0) throw new TypeError('hosts is empty: nobody could reach the server');
  const isHost = hostCheck(hosts ?? (auth ? 'any' : undefined));
  const isOrigin = originCheck(origins ?? []);
  // Then the Host header names the loopback, too.
  const hasLocalPages = hosts === undefined && origins === undefined && auth === undefined;
  // Nearly everybody says the same.
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

/** True for an address or name that only this machine can reach. */
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

/** The name in a Host header without its port; undefined if it is no host. */
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
