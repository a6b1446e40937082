/** What is kept in a credential store, and under which keys: everything belongs to the issuer it came from. */

import { isObject } from '../../jsonrpc/message.ts';
import type { DpopJwk } from './dpop.ts';
import type { Registration } from './registration.ts';
import type { CredentialStore, Json } from './store.ts';

/** Which authorization server lets clients into an MCP server, and as whom this client is known there. */
export interface ServerRecord {
  readonly issuer: string;
  /** The resource tokens are for, as the server spells it. */
  readonly resource: string;
  readonly clientId: string;
}

/** An access token, and what belongs to it. */
export interface TokenRecord {
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  readonly refreshToken?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** When it is time for another, likewise. */
  readonly refreshAt?: number;
  /** What was asked for, as far as anything was. */
  readonly scopes: readonly string[];
  /** What was granted, if the authorization server said so. */
  readonly granted?: readonly string[];
  /** The private key the token is bound to, as JWK. */
  readonly dpopKey?: DpopJwk;
  /** How it was had: what a refresh gave may be refused where a new authorization helps. */
  readonly source: 'refresh' | 'grant';
}

/** As whom a client was registered, and to ask for tokens with what. */
export interface ClientRecord extends Registration {
  readonly grantTypes: readonly string[];
  /** What people were told who they let in. */
  readonly clientName?: string;
  readonly clientUri?: string;
}

/**
 * Whose something is: how tokens are got, and by which client. Who shares a store shares nothing else with those who
 * differ in that.
 */
export type Slot = readonly string[];

/** A place in a store for values of one kind. */
export interface Place<T> {
  readonly key: string;
  /** The value, if what is kept there is one. */
  read(store: CredentialStore): Promise<T | undefined>;
  /** Keeps a value; undefined takes away what is there. */
  write(store: CredentialStore, value: T | undefined): Promise<void>;
}

/** Where it is kept which authorization server an MCP server has. */
export function serverPlace(server: URL, slot: Slot): Place<ServerRecord> {
  return place(['server', server.href, ...slot], isServerRecord);
}

/** Where the tokens of one client for one server are kept: servers may share a resource, and still be others to tokens. */
export function tokenPlace(server: URL, slot: Slot, at: ServerRecord): Place<TokenRecord> {
  const { issuer, resource, clientId } = at;
  return place(['tokens', issuer, resource, clientId, server.href, ...slot], isTokenRecord);
}

/** Where it is kept as whom clients were registered with an authorization server, the last one first. */
export function clientsPlace(issuer: string): Place<readonly ClientRecord[]> {
  return place(['clients', issuer], isClientRecords);
}

/** True for the key of something that an authorization server issued: tokens, who issued them, and registrations. */
export function isIssued(key: string): boolean {
  return /^\["(?:tokens|server|clients)"/.test(key);
}

/** Changes what is kept there, with nobody else in between. */
export function changeClients(
  store: CredentialStore,
  issuer: string,
  change: (clients: readonly ClientRecord[]) => readonly ClientRecord[],
): Promise<void> {
  const clients = clientsPlace(issuer);
  const task = async (): Promise<void> => clients.write(store, change((await clients.read(store)) ?? []));
  return store.exclusive(clients.key, task, new AbortController().signal);
}

/** Forgets a client that the authorization server does not know any more: it has to be registered anew. */
export async function forgetClient(store: CredentialStore, issuer: string, clientId: string): Promise<void> {
  const kept = (await clientsPlace(issuer).read(store)) ?? [];
  if (!kept.some((client) => client.clientId === clientId)) return;
  await changeClients(store, issuer, (clients) => clients.filter((client) => client.clientId !== clientId));
}

/** A place for something else. */
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
