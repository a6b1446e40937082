/** What is kept in a credential store, and under which keys: everything belongs to the issuer it came from. */

import { isObject } from '../../jsonrpc/message.ts';
import type { DpopJwk } from './dpop.ts';
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
  /** What was asked for, as far as anything was. */
  readonly scopes: readonly string[];
  /** The private key the token is bound to, as JWK. */
  readonly dpopKey?: DpopJwk;
  /** How it was had: what a refresh gave may be refused where a new authorization helps. */
  readonly source: 'refresh' | 'grant';
}

/** A place in a store for values of one kind. */
export interface Place<T> {
  readonly key: string;
  /** The value, if what is kept there is one. */
  read(store: CredentialStore): Promise<T | undefined>;
  /** Keeps a value; undefined takes away what is there. */
  write(store: CredentialStore, value: T | undefined): Promise<void>;
}

/** Where it is kept which authorization server an MCP server has. */
export function serverPlace(server: URL): Place<ServerRecord> {
  return place(['server', server.href], isServerRecord);
}

/** Where the tokens of one client for one resource are kept. */
export function tokenPlace({ issuer, resource, clientId }: ServerRecord): Place<TokenRecord> {
  return place(['tokens', issuer, resource, clientId], isTokenRecord);
}

/** A place for something else of one issuer's. */
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
    Array.isArray(value['scopes']) &&
    (value['dpopKey'] === undefined || isObject(value['dpopKey']))
  );
}

function isOptional(type: 'string' | 'number', value: unknown): boolean {
  return value === undefined || typeof value === type;
}
