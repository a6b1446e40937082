/** Authorizations that people have not come back from: kept until then, for whichever process they come back to. */

import { isObject } from '../../jsonrpc/message.ts';
import type { PendingAuthorization } from './authorization.ts';
import type { DpopJwk } from './dpop.ts';
import { place } from './records.ts';
import type { CredentialStore } from './store.ts';

/** An authorization, and what is to be done when it is complete. */
export interface PendingRecord {
  readonly authorization: PendingAuthorization;
  /** The MCP server. */
  readonly server: string;
  /** What tokens are for. */
  readonly resource: string;
  readonly dpopKey?: DpopJwk;
  /** Milliseconds since 1970: whoever comes back later has to begin again. */
  readonly expiresAt: number;
}

/** How long a person may take whom nobody waits for. */
export const PENDING_MS: number = 15 * 60_000;
// Whoever begins again and again comes back from the last ones, if from any.
const MAX_PENDING = 20;
// All in one place, since a callback says nothing of the server it is for; and so that none is left behind.
const ALL = place(['pending'], isPendingRecords);

/** Keeps one, and forgets those that nobody comes back from any more. */
export function addPending(store: CredentialStore, record: PendingRecord): Promise<void> {
  return change(store, (all) => [...all.slice(1 - MAX_PENDING), record]);
}

/** The one with this `state`, if it is not too late. It stays until it is claimed. */
export async function findPending(store: CredentialStore, state: string): Promise<PendingRecord | undefined> {
  const found = ((await ALL.read(store)) ?? []).find(hasState(state));
  if (!found || found.expiresAt > Date.now()) return found;
  await change(store, (all) => all);
  return undefined;
}

/** Takes it away: it can be completed once. False if somebody else has it. */
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
