/** Sign-ins that wait for their callback. They are in the store, so that any process can complete them. */

import { isObject } from '../../jsonrpc/message.ts';
import type { PendingAuthorization } from './authorization.ts';
import type { DpopJwk } from './dpop.ts';
import { place } from './records.ts';
import type { CredentialStore } from './store.ts';

/** A sign-in that waits for its callback. */
export interface PendingRecord {
  readonly authorization: PendingAuthorization;
  /** URL of the MCP server. */
  readonly server: string;
  /** Resource indicator for the token request (RFC 8707). */
  readonly resource: string;
  readonly dpopKey?: DpopJwk;
  /** Milliseconds since 1970. Later callbacks are refused. */
  readonly expiresAt: number;
}

/** Minimum time until a pending sign-in expires, in milliseconds. */
export const PENDING_MS: number = 15 * 60_000;
// Maximum number of pending sign-ins. The oldest are dropped, because the user has probably abandoned them.
const MAX_PENDING = 20;
// One store key for all, because a callback does not name its MCP server, and so that expired entries are found.
const ALL = place(['pending'], isPendingRecords);

/** Adds a sign-in, and removes expired ones and all but the newest. */
export function addPending(store: CredentialStore, record: PendingRecord): Promise<void> {
  return change(store, (all) => [...all.slice(1 - MAX_PENDING), record]);
}

/** Returns the sign-in with this `state`, unless it has expired. It stays in the store until `claimPending`. */
export async function findPending(store: CredentialStore, state: string): Promise<PendingRecord | undefined> {
  const found = ((await ALL.read(store)) ?? []).find(hasState(state));
  if (!found || found.expiresAt > Date.now()) return found;
  await change(store, (all) => all);
  return undefined;
}

/** Removes the sign-in, so that it is completed only once. False if it has expired or was already removed. */
export async function claimPending(store: CredentialStore, state: string): Promise<boolean> {
  let isThere = false;
  await change(store, (all) => {
    isThere = all.some(hasState(state));
    return all.filter((one) => !hasState(state)(one));
  });
  return isThere;
}

function hasState(state: string): (record: PendingRecord) => boolean {
  return ({ authorization }) => authorization.state === state;
}

function change(
  store: CredentialStore,
  make: (all: readonly PendingRecord[]) => readonly PendingRecord[],
): Promise<void> {
  const task = async (): Promise<void> => {
    const now = Date.now();
    const all = ((await ALL.read(store)) ?? []).filter(({ expiresAt }) => expiresAt > now);
    const next = make(all);
    await ALL.write(store, next.length === 0 ? undefined : next);
  };
  return store.exclusive(ALL.key, task, new AbortController().signal);
}

function isPendingRecords(value: unknown): value is readonly PendingRecord[] {
  return Array.isArray(value) && value.every(isPendingRecord);
}

function isPendingRecord(value: unknown): value is PendingRecord {
  return (
    isObject(value) &&
    isObject(value['authorization']) &&
    typeof value['server'] === 'string' &&
    typeof value['resource'] === 'string' &&
    typeof value['expiresAt'] === 'number'
  );
}
