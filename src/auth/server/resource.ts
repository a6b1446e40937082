/** The resource that is protected: what is said of it to everybody, and what it needs of callers. */

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

/** Options of everything that protects a server. */
export interface ResourceOptions {
  /**
   * The URL of the MCP endpoint as clients know it, such as `https://mcp.example.com/mcp`. Everything that is said of the
   * server comes from here and never from a header, so behind a proxy it is the URL in front of the proxy.
   */
  readonly resource: string;
  /** What every request needs; tools may need more. */
  readonly scopes?: readonly string[] | undefined;
  /** What the metadata shows as `scopes_supported`. Default: `scopes`. */
  readonly scopesSupported?: readonly string[] | undefined;
  /** Scopes that hold others: with `{ admin: ['read', 'write'] }` whoever has `admin` has all three. */
  readonly implies?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * Tokens that are bound to a client's key (RFC 9449). They are accepted only with a proof for this method and for
   * `resource`, each proof once. `required`: no others are. `refused`: none of them are. Default: `accepted`.
   */
  readonly dpop?: 'accepted' | 'required' | 'refused' | undefined;
  /** Where used DPoP proofs are kept. Several processes need a shared store, else a proof is accepted once by each. Default: memory. */
  readonly proofs?: ProofStore | undefined;
  /** What people see as the server's name while they decide: `resource_name` of the metadata. */
  readonly name?: string | undefined;
  /**
   * Called with each token that is refused: why, what was expected and what the token says of itself, never the token.
   * Requests without a token and tokens that lack a scope are not reported. Default: a line on stderr, at most one in a
   * minute for each reason.
   */
  readonly onRefused?: OnRefused | undefined;
}

/** Says who is calling, and tells clients how to be let in. */
export interface ResourceAuth extends Authenticate {
  /** How to be let in; the endpoint shows it to everybody who asks. */
  readonly protectedResource: ProtectedResource;
}

/** The options, checked and put to use. */
export interface Resource {
  readonly url: URL;
  /** What tokens are for that are for this resource. */
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

/** Throws a TypeError if what `name` was called with are no options. */
export function checkOptions(options: unknown, name: string): void {
  // As "auth" itself it would be called with credentials, or with nothing.
  if (isObject(options) && !('scheme' in options && 'token' in options)) return;
  throw new TypeError(`${name} needs its options: write auth: ${name}({ issuer, resource }), and not auth: ${name}`);
}

/** Throws a TypeError that names the first option that is wrong. */
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
    // Clients write the root with and without its slash, and it is the same URL.
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

/** True for a caller whose token is bound to a key. */
function isBound(principal: Principal | undefined): boolean {
  return typeof boundKey(principal?.claims ?? {}) === 'string';
}

function resourceUrl(resource: string): URL {
  const url = identifierUrl(resource, 'resource');
  // Audiences are compared letter by letter, and clients send the URL as `URL` writes it.
  const isCanonical = resource === url.href || resource === url.origin;
  if (!isCanonical) throw new TypeError(`The option "resource" must be written as "${url.href}"`);
  return url;
}
