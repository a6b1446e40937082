/** Sends OAuth requests over node:http and node:https, only to addresses that were checked (SSRF policy). */

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { type Route, routeTo } from '../../client/node-proxy.ts';
import type { OAuthRequest, OAuthResponse, Send, SendLimits } from './exchange.ts';
import { networkOf } from './networks.ts';
import {
  Body,
  checkTarget,
  forbiddenAddress,
  isForbidden,
  literalAddress,
  tooLarge,
  unreachable,
  withinTime,
} from './send-rules.ts';
import { type Reach, reachOfHost } from './targets.ts';

export interface Resolved {
  readonly address: string;
  readonly family: number;
}

/** Resolves a hostname to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly Resolved[]>;

/** Sends a request on a new connection. Does not follow redirects. */
export const send: Send = (request, limits) => sendResolving(lookUp, request, limits);

/** Like `send`, with another DNS resolver. */
export function sendResolving(resolve: Resolve, request: OAuthRequest, limits: SendLimits): Promise<OAuthResponse> {
  const { url } = request;
  return withinTime(url, limits.signal, async (ended) => {
    checkTarget(url, limits);
    try {
      const route = await routeTo(url, false);
      if (route.proxy !== undefined) await checkName(resolve, url, limits.reach);
      ended.throwIfAborted();
      const outgoing = open(route, request, checked(resolve, url, limits.reach));
      ended.addEventListener('abort', () => outgoing.destroy(), { once: true });
      return await answerOf(outgoing, request);
    } catch (error) {
      throw unreachable(url, error);
    }
  });
}

/** Returns the SSRF policy for a server: the least restricted network of its addresses; `public` if they are unknown. */
export async function reachOf(url: URL, resolve: Resolve = lookUp): Promise<Reach> {
  const named = reachOfHost(url.hostname);
  if (named !== 'public' || literalAddress(url) !== undefined) return named;
  const found = await resolve(url.hostname).catch(() => []);
  const networks = new Set(found.map(({ address }) => networkOf(address)));
  if (networks.size === 0 || networks.has('public')) return 'public';
  return networks.size === 1 && networks.has('loopback') ? 'loopback' : 'private';
}

async function lookUp(hostname: string): Promise<readonly Resolved[]> {
  const { lookup } = await import('node:dns/promises');
  return lookup(hostname, { all: true });
}

function open(route: Route, asked: OAuthRequest, lookup: LookupFunction): ClientRequest {
  const { method, url, headers: own, body } = asked;
  const { request, agent, to, headers: added, base, proxy } = route;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = {
    ...to,
    method,
    path: `${base}${url.pathname}${url.search}`,
    headers: { ...own, ...length, ...added },
  };
  // The proxy resolves the hostname itself.
  if (proxy !== undefined) return request({ ...options, agent });
  // A new connection, because a connection of a pool would be to an address that was checked for another request.
  return request({ ...options, agent: false, lookup });
}

// Checks the addresses of a hostname before a proxy is used. Names that only the proxy can resolve are allowed.
async function checkName(resolve: Resolve, url: URL, reach: Reach): Promise<void> {
  const addresses = await resolve(url.hostname).catch(() => []);
  if (addresses.some(({ address }) => isForbidden(address, reach))) throw forbiddenAddress(url);
}

// DNS rebinding: connects to the checked addresses, without a second lookup that could return others.
function checked(resolve: Resolve, url: URL, reach: Reach): LookupFunction {
  return (hostname, { all }, callback) => {
    const found = resolve(hostname).then((addresses) => {
      if (addresses.some(({ address }) => isForbidden(address, reach))) throw forbiddenAddress(url);
      const [first] = addresses;
      if (first === undefined) throw Object.assign(new Error('No address'), { code: 'ENOTFOUND' });
      return { addresses, first };
    });
    found.then(
      ({ addresses, first }) => (all ? callback(null, [...addresses]) : callback(null, first.address, first.family)),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

function answerOf(outgoing: ClientRequest, { url, body }: OAuthRequest): Promise<OAuthResponse> {
  return new Promise((resolve, reject) => {
    let hasResponse = false;
    outgoing.on('response', (response) => {
      hasResponse = true;
      readResponse(response, url).then(resolve, reject);
    });
    outgoing.on('error', reject);
    // If the server switches to another protocol (101), Node closes the request without an error.
    outgoing.on('close', () => {
      if (!hasResponse) reject(HUNG_UP);
    });
    outgoing.end(body);
  });
}

const HUNG_UP = { code: 'ECONNRESET' };

function readResponse(response: IncomingMessage, url: URL): Promise<OAuthResponse> {
  return new Promise((resolve, reject) => {
    const body = new Body();
    response.on('data', (chunk: Uint8Array) => {
      if (!body.add(chunk)) reject(tooLarge(url));
    });
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      resolve({
        status,
        header(name) {
          const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
          return Array.isArray(value) ? value.join(', ') : value;
        },
        body: body.text(),
      });
    });
    response.on('error', reject);
    response.on('close', () => reject(HUNG_UP));
  });
}
