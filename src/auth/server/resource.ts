/** The protected resource: its metadata, and its requirements for tokens. */

import { isObject } from '../../jsonrpc/message.ts';
import type { Authenticate, ProtectedResource } from '../../protocol/http/authenticate.ts';
import type { Principal } from '../../protocol/principal.ts';
import type { ProofStore } from '../../store/proof-store.ts';
import { ALGORITHMS } from './algorithms.ts';
import { type Challenges, challengesOf } from './challenges.ts';
import { boundKey } from './claims.ts';
import { type OnRefused, refusalsTo } from './refused.ts';
import { scopeList, type Widen, widening } from './scopes.ts';
import { identifierUrl } from './urls.ts';

/** Options that `jwt`, `introspect` and `verifier` share. */
export interface ResourceOptions {
  /**
   * Public URL of the MCP endpoint, such as `https://mcp.example.com/mcp`. Behind a proxy, it is the URL of the proxy. Metadata
   * and challenges are based on it, never on header fields.
   */
  readonly resource: string;
  /** Scopes that every request requires. Tools can require more. */
  readonly scopes?: readonly string[] | undefined;
  /** `scopes_supported` of the metadata. Default: `scopes`. */
  readonly scopesSupported?: readonly string[] | undefined;
  /** Scopes that imply others: with `{ admin: ['read', 'write'] }`, tokens with `admin` also have `read` and `write`. */
  readonly implies?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * DPoP-bound tokens (RFC 9449), which need a new proof for each request. `accepted`: bound and unbound tokens are accepted.
   * `required`: only bound ones. `refused`: only unbound ones. Default: `accepted`.
   */
  readonly dpop?: 'accepted' | 'required' | 'refused' | undefined;
  /** Store of used DPoP proofs, in memory by default. Processes without a shared store each accept the same proof once. */
  readonly proofs?: ProofStore | undefined;
  /** Name of the server that users see when they consent: `resource_name` of the metadata. */
  readonly name?: string | undefined;
  /**
   * Called with each refused token: reason, expected and received claims, never the token. Requests without a token and missing
   * scopes are not reported. Default: writes a line to stderr, at most once a minute per reason.
   */
  readonly onRefused?: OnRefused | undefined;
}

/** An authenticator, with metadata by which clients find the authorization server. */
export interface ResourceAuth extends Authenticate {
  /** Protected resource metadata, which the endpoint serves to unauthenticated clients. */
  readonly protectedResource: ProtectedResource;
}

/** Validated options, and what is derived from them. */
export interface Resource {
  readonly url: URL;
  /** Identifiers of the resource: the default of the accepted audiences. */
  readonly identifiers: readonly string[];
  readonly scopes: readonly string[];
  readonly widen: Widen;
  readonly dpop: 'accepted' | 'required' | 'refused';
  readonly proofs: ProofStore | undefined;
  readonly challenges: Challenges;
  /** Reports a refused token. Never throws. */
  readonly onRefused: OnRefused;
  readonly protectedResource: ProtectedResource;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const DPOP: readonly unknown[] = ['accepted', 'required', 'refused'];

/** Throws a `TypeError` if the function `name` was called without options. */
export function checkOptions(options: unknown, name: string): void {
  // With `auth: jwt` instead of `auth: jwt({...})`, the endpoint calls the function with credentials, or with undefined.
  if (isObject(options) && !('scheme' in options && 'token' in options)) return;
  throw new TypeError(`${name} needs its options: write auth: ${name}({ issuer, resource }), and not auth: ${name}`);
}

/** Validates the options. Throws a `TypeError` that names the first invalid option. */
export function resourceOf(options: ResourceOptions, authorizationServers: readonly string[]): Resource {
  const { resource, implies, dpop = 'accepted', name } = options;
  const url = resourceUrl(resource);
  const scopes = scopeList(options.scopes, 'scopes');
  const supported =
    options.scopesSupported === undefined ? scopes : scopeList(options.scopesSupported, 'scopesSupported');
  if (!DPOP.includes(dpop)) throw new TypeError('The option "dpop" must be "accepted", "required" or "refused"');
  if (name !== undefined && typeof name !== 'string') throw new TypeError('The option "name" must be a text');
  const isRoot = url.pathname === '/';
  const metadataUrl = `${url.origin}${WELL_KNOWN}${isRoot ? '' : url.pathname}`;
  const challenges = challengesOf({ metadataUrl, scopes, scheme: dpop === 'required' ? 'dpop' : 'bearer' });
  const metadata = {
    resource,
    authorization_servers: Object.freeze([...authorizationServers]),
    ...(supported.length > 0 && { scopes_supported: supported }),
    bearer_methods_supported: Object.freeze(['header']),
    ...(name !== undefined && { resource_name: name }),
    ...(dpop !== 'refused' && { dpop_signing_alg_values_supported: Object.freeze([...ALGORITHMS]) }),
    ...(dpop === 'required' && { dpop_bound_access_tokens_required: true }),
  };
  return {
    url,
    // Clients write the root URL with and without its slash.
    identifiers: isRoot ? [url.origin, url.href] : [resource],
    scopes,
    widen: widening(implies),
    dpop,
    proofs: options.proofs,
    challenges,
    onRefused: refusalsTo(options.onRefused),
    protectedResource: Object.freeze({
      metadataUrl,
      metadata: Object.freeze(metadata),
      insufficientScope: (more: readonly string[], principal?: Principal) =>
        challenges.insufficientScope(more, isBound(principal) ? 'dpop' : undefined),
    }),
  };
}

/** True if the principal's token is bound to a DPoP key. */
function isBound(principal: Principal | undefined): boolean {
  return typeof boundKey(principal?.claims ?? {}) === 'string';
}

function resourceUrl(resource: string): URL {
  const url = identifierUrl(resource, 'resource');
  // Audiences are compared as strings, and clients send the URL as `URL` formats it.
  const isCanonical = resource === url.href || resource === url.origin;
  if (!isCanonical) throw new TypeError(`The option "resource" must be written as "${url.href}"`);
  return url;
}
