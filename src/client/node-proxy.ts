/** Proxy settings from the environment, as in Node: NODE_USE_ENV_PROXY=1 with HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */

import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import process from 'node:process';
import { urlToHttpOptions } from 'node:url';
import type { HeaderFields } from './http-options.ts';

/** How requests to one origin are sent: directly or through a proxy. */
export interface Route {
  readonly agent: Agent;
  readonly request: (options: RequestOptions) => ClientRequest;
  /** Address of the TCP connection: the origin, or the proxy. */
  readonly to: Pick<RequestOptions, 'protocol' | 'hostname' | 'port'>;
  readonly headers: HeaderFields | undefined;
  /** Prefix of the request target: the origin for http requests through a proxy, otherwise empty. */
  readonly base: string;
  /** Origin of the proxy, for error messages. */
  readonly proxy: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const CONNECT_MS = 30_000;

/** Returns the proxy for a URL, or undefined for none. Throws a TypeError if the variable is not an http or https URL. */
export function proxyFor(url: URL, env: Environment = process.env): URL | undefined {
  if (env['NODE_USE_ENV_PROXY'] !== '1') return undefined;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = env[name.toLowerCase()] || env[name];
  if (!value || isBypassed(url, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  const proxy = URL.canParse(value) ? new URL(value) : undefined;
  if (proxy?.protocol === 'http:' || proxy?.protocol === 'https:') return proxy;
  // The value is not shown, because it can contain a password.
  throw new TypeError(`The environment variable ${name} must be an http: or https: URL, such as http://proxy:8080`);
}

/** Returns the route to an origin, through a proxy if the environment sets one. */
export async function routeTo(origin: URL, keepAlive: boolean): Promise<Route> {
  const proxy = proxyFor(origin);
  const target = await modulesFor(origin);
  const direct = { request: target.request, to: addressOf(origin), headers: undefined, base: '', proxy: undefined };
  if (!proxy) return { ...direct, agent: new target.Agent({ keepAlive }) };
  const through = await modulesFor(proxy);
  if (origin.protocol === 'https:') {
    return { ...direct, agent: await tunnelAgent(proxy, through.request, keepAlive), proxy: proxy.origin };
  }
  // RFC 9112, section 3.2.2: a request to a proxy has the absolute URL as its target.
  const headers = { host: origin.host, ...authorizationOf(proxy) };
  const agent = new through.Agent({ keepAlive });
  return { agent, request: through.request, to: addressOf(proxy), headers, base: origin.origin, proxy: proxy.origin };
}

/** Returns an error that names the proxy if the connection to the proxy failed, and other errors unchanged. */
export function withProxy(error: Error, proxy: string | undefined): Error {
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (proxy === undefined || (syscall !== 'connect' && syscall !== 'getaddrinfo')) return error;
  return new Error(`the proxy ${proxy} cannot be reached (${code})`);
}

// Dynamic imports, so that TLS is loaded only if it is needed.
function modulesFor({ protocol }: URL): Promise<typeof import('node:http') | typeof import('node:https')> {
  return protocol === 'https:' ? import('node:https') : import('node:http');
}

function addressOf(url: URL): Route['to'] {
  const { protocol, hostname, port } = urlToHttpOptions(url);
  return { protocol, hostname, port };
}

function authorizationOf({ username, password }: URL): HeaderFields {
  if (username === '') return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

// Malformed percent-encoding, such as a single "%", is kept as it is.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Creates an agent that opens CONNECT tunnels through the proxy, with TLS to the server inside. */
async function tunnelAgent(proxy: URL, request: Route['request'], keepAlive: boolean): Promise<Agent> {
  const https = await import('node:https');
  class TunnelAgent extends https.Agent {
    override createConnection(
      ...[options, callback]: Parameters<InstanceType<typeof https.Agent>['createConnection']>
    ): undefined {
      const { host, port } = options;
      openTunnel(proxy, request, `${isIP(host ?? '') === 6 ? `[${host}]` : host}:${port}`).then(
        (socket) => callback?.(null, super.createConnection({ ...options, socket } as typeof options) as Socket),
        (error: Error) => callback?.(error, undefined as never),
      );
    }
  }
  return new TunnelAgent({ keepAlive });
}

function openTunnel(proxy: URL, request: Route['request'], target: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = { host: target, ...authorizationOf(proxy) };
    const options = {
      ...addressOf(proxy),
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
      timeout: CONNECT_MS,
    };
    const connecting = request(options);
    connecting.on('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.origin} refused a tunnel to ${target} (HTTP status ${statusCode})`));
    });
    connecting.on('timeout', () => connecting.destroy(new Error(`the proxy ${proxy.origin} does not answer`)));
    connecting.on('error', (error) => reject(withProxy(error, proxy.origin)));
    // An ordinary response means that the proxy refused the tunnel. Its body is not read.
    connecting.on('response', ({ statusCode }) => {
      connecting.destroy();
      reject(new Error(`the proxy ${proxy.origin} refused a tunnel to ${target} (HTTP status ${statusCode})`));
    });
    connecting.end();
  });
}

/** Returns true if NO_PROXY has the host: a name, `.suffix`, `*.suffix` (each with optional port), `*`, IP, range or subnet. */
function isBypassed(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const entries = list.split(/[\s,]+/).map((entry) => entry.toLowerCase());
  return entries.some((entry) => {
    if (entry === '*' || entry === host || entry === `${host}:${port}`) return true;
    const [name = '', onlyPort = port] = entry.split(':', 2);
    if (/^\*?\./.test(name)) return onlyPort === port && host.endsWith(name.replace(/^\*/, ''));
    return isIP(host) !== 0 && isAmong(host, entry);
  });
}

function isAmong(address: string, entry: string): boolean {
  const [first = '', last = ''] = entry.split(/[-/]/, 2);
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(first) !== isIP(address)) return false;
  const list = new BlockList();
  try {
    if (entry.includes('/')) list.addSubnet(first, Number(last), family);
    else if (isIP(last) !== 0) list.addRange(first, last, family);
    else return false;
  } catch {
    // A malformed range or subnet matches nothing.
    return false;
  }
  return list.check(address, family);
}
