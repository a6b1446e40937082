/** Scope authorization: the OAuth scopes that a request requires, and the change notifications that a caller may get. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { isObject, type Params, type Request } from '../../jsonrpc/message.ts';
import { MAX_SUBSCRIPTION_URIS, STRING_LIMITS } from '../../protocol/params.ts';
import { isScope, type Principal } from '../../protocol/principal.ts';
import type { Observer, Viewer } from '../../protocol/revision.ts';
import type { Entry, Registry } from '../features/registry.ts';
import { matchUri } from '../features/uri-template/match.ts';
import { encodeNonAscii } from '../features/uri-template/uri-template.ts';
import type { ServerInternals } from '../internals.ts';

/** Validates the option `scopes` of a tool, prompt or resource. Throws a `TypeError` whose message begins with `owner`. */
export function scopesOf(owner: string, scopes: unknown): readonly string[] | undefined {
  if (scopes === undefined) return undefined;
  if (!Array.isArray(scopes) || scopes.length === 0) {
    throw new TypeError(`${owner}: scopes must be an array with at least one scope; leave it out to require none`);
  }
  const bad = scopes.findIndex((scope) => !isScope(scope));
  if (bad >= 0) {
    throw new TypeError(
      `${owner}: scopes[${bad}] is not a scope: one or more visible ASCII characters without space, " and \\`,
    );
  }
  // The scope `offline_access` only asks for a refresh token (OpenID Connect Core, section 11) and grants access to nothing.
  if (scopes.includes('offline_access')) {
    throw new TypeError(`${owner}: scopes must not have "offline_access": no request requires it`);
  }
  if (new Set(scopes).size < scopes.length) throw new TypeError(`${owner}: scopes names the same scope twice`);
  return Object.freeze([...scopes]);
}

export function hasScopes({ scopes }: Principal, required: readonly string[]): boolean {
  // An authenticator could set `scopes` to a string by mistake, and `"readonly".includes("read")` is true.
  const granted: readonly string[] = Array.isArray(scopes) ? scopes : [];
  return required.every((scope) => granted.includes(scope));
}

type Scopes = readonly string[] | undefined;
type Entries = Pick<ServerInternals, 'registries' | 'resourceAt'>;
type ScopesOfRequest = (server: Entries, params: Params, viewer: Viewer) => Scopes;

const REQUIRED_SCOPES: ReadonlyMap<string, ScopesOfRequest> = new Map<string, ScopesOfRequest>([
  ['tools/call', ({ registries }, { name }, viewer) => scopesOfEntry(registries.tools, name, viewer)],
  ['prompts/get', ({ registries }, { name }, viewer) => scopesOfEntry(registries.prompts, name, viewer)],
  ['resources/read', (server, { uri }, viewer) => scopesOfUri(server, uri, viewer)],
  ['resources/subscribe', (server, { uri }, viewer) => scopesOfUri(server, uri, viewer)],
  ['subscriptions/listen', scopesOfSubscriptions],
  ['completion/complete', scopesOfCompletion],
]);

/** Returns the scopes that a request requires; undefined for a hidden tool, prompt or resource, so that no error reveals it. */
export function requiredScopes(server: Entries, { method, params }: Request, viewer: Viewer): Scopes {
  return isObject(params) ? REQUIRED_SCOPES.get(method)?.(server, params, viewer) : undefined;
}

/** If the principal lacks a scope that the request requires, returns all scopes that the request requires; else undefined. */
export function missingScopes(server: Entries, request: Request, viewer: Viewer): Scopes {
  const required = requiredScopes(server, request, viewer) ?? [];
  return isGranted(required, viewer) ? undefined : required;
}

export function insufficientScope(scopes: readonly string[], principal: Principal | undefined): RpcError {
  const names = `${scopes.length === 1 ? 'the scope' : 'the scopes'} ${scopes.join(', ')}`;
  const message = principal
    ? `This request requires ${names}`
    : `This request requires ${names}, but callers are not authenticated: set the option "auth" where the server is served`;
  return RpcError.invalidRequest(message, { requiredScopes: scopes });
}

/** True if the observer may get notifications about the resource. Other observers must not learn that the resource exists. */
export function canObserve(server: Entries, uri: string, observer: Observer): boolean {
  const { resources, templates } = server.registries;
  if (!(resources.hasRestrictedEntries || templates.hasRestrictedEntries)) return true;
  if (!observer.trusted && !isGranted(scopesOfResource(server, uri, observer) ?? [], observer)) return false;
  if (resources.has(uri)) return resources.get(uri, observer) !== undefined;
  const encoded = encodeNonAscii(uri) ?? uri;
  const name = templates.names.find((one) => {
    const entry = templates.getUnchecked(one);
    return entry !== undefined && matchUri(entry.template, encoded) !== undefined;
  });
  return name === undefined || templates.get(name, observer) !== undefined;
}

export function isGranted(required: readonly string[], { principal }: Viewer): boolean {
  return required.length === 0 || (principal !== undefined && hasScopes(principal, required));
}

// Calls `getUnchecked` first, so that the application's function `visible` runs only for entries with scopes.
function scopesOfEntry<E extends Entry>(registry: Registry<E>, name: unknown, viewer: Viewer): Scopes {
  const entry = registry.getUnchecked(name);
  return entry?.scopes && registry.get(entry.key, viewer)?.scopes;
}

function scopesOfResource({ registries, resourceAt }: Entries, uri: string, viewer: Viewer): Scopes {
  const { resources, templates } = registries;
  return resources.requiresScopes || templates.requiresScopes ? resourceAt(uri, viewer)?.scopes : undefined;
}

// A URI above the length limit is not matched against templates, because the request is refused with -32602 later.
function scopesOfUri(server: Entries, uri: unknown, viewer: Viewer): Scopes {
  return typeof uri === 'string' && uri.length <= STRING_LIMITS.uri ? scopesOfResource(server, uri, viewer) : undefined;
}

// More than `MAX_SUBSCRIPTION_URIS` URIs are not checked, because `subscriptions/listen` refuses them.
function scopesOfSubscriptions(server: Entries, { notifications }: Params, viewer: Viewer): Scopes {
  const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
  if (!Array.isArray(uris) || uris.length > MAX_SUBSCRIPTION_URIS) return undefined;
  return [...new Set(uris.flatMap((uri) => scopesOfUri(server, uri, viewer) ?? []))];
}

function scopesOfCompletion({ registries }: Entries, { ref }: Params, viewer: Viewer): Scopes {
  if (!isObject(ref)) return undefined;
  if (ref['type'] === 'ref/prompt') return scopesOfEntry(registries.prompts, ref['name'], viewer);
  return ref['type'] === 'ref/resource' ? scopesOfEntry(registries.templates, ref['uri'], viewer) : undefined;
}
