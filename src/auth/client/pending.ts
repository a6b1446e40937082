/** Authorizations that people have not come back from: kept until then, for whichever process they come back to. */

import { isObject } from '../../jsonrpc/message.ts';
import type { PendingAuthorization } from './authorization.ts';
import type { DpopJwk } from './dpop.ts';
import { type Place, place } from './records.ts';
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

/** Where the authorization with this `state` is kept. */
export function pendingPlace(state: string): Place<PendingRecord> {
  return place(['pending', state], isPendingRecord);
}

/** Takes it away: it can be completed once, and not too late. */
export async function takePending(store: CredentialStore, state: string): Promise<PendingRecord | undefined> {
  const record = await claimPending(store, state);
  return record && record.expiresAt > Date.now() ? record : undefined;
}

/** The same for whoever has waited all the time: then it does not matter how long a person took. */
export async function claimPending(store: CredentialStore, state: string): Promise<PendingRecord | undefined> {
  const at = pendingPlace(state);
  const claim = async (): Promise<PendingRecord | undefined> => {
    const record = await at.read(store);
    if (record) await at.write(store, undefined);
    return record;
  };
  return store.exclusive(at.key, claim, new AbortController().signal);
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
