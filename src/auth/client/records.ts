/** Records in a credential store and their keys. The keys of tokens and registrations contain the issuer. */

import { isObject } from '../../jsonrpc/message.ts';
import type { DpopJwk } from './dpop.ts';
import type { Registration } from './registration.ts';
import type { CredentialStore, Json } from './store.ts';

/** Authorization server of an MCP server, and the client id there. */
export interface ServerRecord {
  readonly issuer: string;
  /** Resource indicator for token requests: as in the protected resource metadata, else the URL of the MCP server. */
  readonly resource: string;
  readonly clientId: string;
}

export interface TokenRecord {
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  readonly refreshToken?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Time at which the token is to be refreshed, in milliseconds since 1970. */
  readonly refreshAt?: number;
  /** Scopes that were requested. */
  readonly scopes: readonly string[];
  /** Scopes that were granted, if the authorization server named them. */
  readonly granted?: readonly string[];
  /** Private key that the token is bound to (DPoP), as a JWK. */
  readonly dpopKey?: DpopJwk;
  /** How the token was obtained. If the MCP server refuses a refreshed token, a new authorization can help. */
  readonly source: 'refresh' | 'grant';
}

/** A client registration, and the grant types that it is for. */
export interface ClientRecord extends Registration {
  readonly grantTypes: readonly string[];
  /** Client name that users saw on the consent page. */
  readonly clientName?: string;
  readonly clientUri?: string;
}

/** Partition of store keys: a function (such as `oauth`) and a client. Different partitions share no tokens. */
export type Slot = readonly string[];

/** A store key with values of one type. */
export interface Place<T> {
  readonly key: string;
  /** Returns the value; undefined if it is missing or malformed. */
  read(store: CredentialStore): Promise<T | undefined>;
  /** Writes a value; undefined deletes the key. */
  write(store: CredentialStore, value: T | undefined): Promise<void>;
}

/** Returns the store key under which the authorization server of an MCP server is kept. */
export function serverPlace(server: URL, slot: Slot): Place<ServerRecord> {
  return place(['server', server.href, ...slot], isServerRecord);
}

/** Returns the store key of a client's tokens. It contains the server's URL, because servers can share a resource indicator. */
export function tokenPlace(server: URL, slot: Slot, at: ServerRecord): Place<TokenRecord> {
  const { issuer, resource, clientId } = at;
  return place(['tokens', issuer, resource, clientId, server.href, ...slot], isTokenRecord);
}

/** Returns the store key of the client registrations with an authorization server. The newest comes first. */
export function clientsPlace(issuer: string): Place<readonly ClientRecord[]> {
  return place(['clients', issuer], isClientRecords);
}

/** True for the store keys of tokens, server records and client registrations. */
export function isIssued(key: string): boolean {
  return /^\["(?:tokens|server|clients)"/.test(key);
}

/** Changes the registrations with an issuer, under the lock of their store key. */
export function changeClients(
  store: CredentialStore,
  issuer: string,
  change: (clients: readonly ClientRecord[]) => readonly ClientRecord[],
): Promise<void> {
  const clients = clientsPlace(issuer);
  const task = async (): Promise<void> => clients.write(store, change((await clients.read(store)) ?? []));
  return store.exclusive(clients.key, task, new AbortController().signal);
}

/** Deletes a client that the authorization server no longer knows, so that it is registered again. */
export async function forgetClient(store: CredentialStore, issuer: string, clientId: string): Promise<void> {
  const kept = (await clientsPlace(issuer).read(store)) ?? [];
  if (!kept.some((client) => client.clientId === clientId)) return;
  await changeClients(store, issuer, (clients) => clients.filter((client) => client.clientId !== clientId));
}

/** Creates a store key. `isValid` tells whether a stored value has the right type. */
export function place<T>(path: readonly string[], isValid: (value: unknown) => value is T): Place<T> {
  const key = JSON.stringify(path);
  return {
    key,
    async read(store) {
      const kept: unknown = await store.get(key);
      return isValid(kept) ? kept : undefined;
    },
    write: (store, value) => store.set(key, value as Json | undefined),
  };
}

function isServerRecord(value: unknown): value is ServerRecord {
  return (
    isObject(value) &&
    typeof value['issuer'] === 'string' &&
    typeof value['resource'] === 'string' &&
    typeof value['clientId'] === 'string'
  );
}

function isTokenRecord(value: unknown): value is TokenRecord {
  return (
    isObject(value) &&
    typeof value['accessToken'] === 'string' &&
    (value['tokenType'] === 'bearer' || value['tokenType'] === 'dpop') &&
    isOptional('string', value['refreshToken']) &&
    isOptional('number', value['expiresAt']) &&
    isOptional('number', value['refreshAt']) &&
    Array.isArray(value['scopes']) &&
    (value['granted'] === undefined || Array.isArray(value['granted'])) &&
    (value['dpopKey'] === undefined || isObject(value['dpopKey']))
  );
}

function isClientRecords(value: unknown): value is readonly ClientRecord[] {
  return Array.isArray(value) && value.every(isClientRecord);
}

function isClientRecord(value: unknown): value is ClientRecord {
  return (
    isObject(value) &&
    typeof value['clientId'] === 'string' &&
    isOptional('string', value['clientSecret']) &&
    isOptional('number', value['secretExpiresAt']) &&
    isOptional('string', value['clientName']) &&
    isOptional('string', value['clientUri']) &&
    Array.isArray(value['redirectUris']) &&
    Array.isArray(value['grantTypes'])
  );
}

function isOptional(type: 'string' | 'number', value: unknown): boolean {
  return value === undefined || typeof value === type;
}
