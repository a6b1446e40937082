/** Validates the options of `oauth()` and the other functions when they are called, not when the options are first used. */

import { isScope } from '../../protocol/principal.ts';
import { DISCOVERED } from './discovery.ts';
import { isIssuer } from './resource-metadata.ts';
import { targetFault } from './targets.ts';

/** Options that bind client credentials to an authorization server. */
export interface CredentialOptions {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: object | undefined;
  readonly issuer?: string | undefined;
  readonly clientMetadataUrl?: string | undefined;
}

export interface CommonOptions {
  readonly store?: unknown;
  readonly scopes?: unknown;
  readonly dpop?: unknown;
  readonly fetch?: unknown;
}

const STORE = ['get', 'set', 'exclusive'] as const;

/** Throws a `TypeError` for an invalid option. `who` is the function that got the options. */
export function checkCommon(who: string, { store, scopes, dpop, fetch: send }: CommonOptions): void {
  const kept = store as Partial<Record<string, unknown>> | null | undefined;
  if (kept !== undefined && STORE.some((name) => typeof kept?.[name] !== 'function')) {
    throw new TypeError(
      `${who}: "store" must be a store: memoryStore(), fileStore(), or one with get, set and exclusive`,
    );
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every(isScope))) {
    throw new TypeError(`${who}: "scopes" must be an array of strings, one for each scope`);
  }
  if (dpop !== undefined && typeof dpop !== 'boolean' && dpop !== 'auto') {
    throw new TypeError(`${who}: "dpop" must be true, false or "auto"`);
  }
  if (send !== undefined) checkFunction(who, 'fetch', send);
}

/** Throws a `TypeError` for credentials that are malformed, incomplete, or could be sent to a wrong authorization server. */
export function checkCredentials(who: string, options: CredentialOptions): void {
  const { clientId, clientSecret, privateKey, issuer, clientMetadataUrl } = options;
  if (clientId !== undefined) checkText(who, 'clientId', clientId);
  if (clientSecret !== undefined) checkText(who, 'clientSecret', clientSecret);
  if (clientSecret !== undefined && clientId === undefined)
    throw new TypeError(`${who}: "clientSecret" needs "clientId"`);
  if (privateKey !== undefined && clientId === undefined && clientMetadataUrl === undefined)
    throw new TypeError(`${who}: "privateKey" needs "clientId" or "clientMetadataUrl"`);
  if (clientMetadataUrl !== undefined && !isClientMetadataUrl(clientMetadataUrl)) {
    throw new TypeError(`${who}: "clientMetadataUrl" must be an https URL with a path, without query and fragment`);
  }
  if (issuer !== undefined && issuer !== DISCOVERED && !(typeof issuer === 'string' && isIssuer(issuer))) {
    throw new TypeError(`${who}: "issuer" must be the https URL by which the authorization server calls itself`);
  }
  if (clientSecret !== undefined) requireIssuer(who, 'clientSecret', issuer);
}

/** Throws if the secret option `name` has no `issuer`: an MCP server could name an attacker's authorization server. */
export function requireIssuer(who: string, name: string, issuer: string | undefined): void {
  if (issuer !== undefined) return;
  throw new TypeError(
    `${who}: "${name}" needs "issuer", the authorization server it belongs to: an MCP server could name another to ` +
      'get hold of it. Pass issuer: "discovered" if you trust the server with it',
  );
}

/** Throws a `TypeError` unless `value` is an https: URL, or an http: URL of a private host. */
export function checkUrl(who: string, name: string, value: unknown): void {
  const isUrl = typeof value === 'string' && URL.canParse(value);
  if (isUrl && targetFault(new URL(value)) === undefined) return;
  throw new TypeError(`${who}: "${name}" must be an https URL, or an http one of a private network`);
}

/** Throws a `TypeError` unless `value` is a non-empty string. */
export function checkText(who: string, name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '')
    throw new TypeError(`${who}: "${name}" must be a string that is not empty`);
}

export function checkFunction(who: string, name: string, value: unknown): void {
  if (typeof value !== 'function') throw new TypeError(`${who}: "${name}" must be a function`);
}

function isClientMetadataUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username, password } = new URL(text);
  return protocol === 'https:' && pathname !== '/' && [search, hash, username, password].every((part) => part === '');
}
