/** `CredentialStore`: interface of stores for tokens and client registrations. */

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Stores tokens and client registrations, which are secret. If processes share a store, `exclusive` must lock across them. */
export interface CredentialStore {
  /** Returns the value of a key; undefined if there is none. */
  get(key: string): Promise<Json | undefined>;
  /** Stores a value; `undefined` deletes the key. Must resolve only when the change is durable. */
  set(key: string, value: Json | undefined): Promise<void>;
  /** Runs `task` while no other user of the store runs one with the same key. `signal` aborts the wait, not the task. */
  exclusive<T>(key: string, task: () => Promise<T>, signal: AbortSignal): Promise<T>;
}
