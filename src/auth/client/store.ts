/** Where credentials are kept: an interface, and memory. */

/** A value as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * Keeps registrations and tokens, under keys that name the authorization server they belong to. What is kept is secret.
 * Several processes may share one: then `exclusive` has to hold among all of them.
 */
export interface CredentialStore {
  /** What is kept under this key. */
  get(key: string): Promise<Json | undefined>;
  /** Keeps a value; `undefined` takes away what is there. When it resolves, the value is safe. */
  set(key: string, value: Json | undefined): Promise<void>;
  /**
   * Runs a task while nobody else who shares the store runs one under the same key. The signal ends the waiting, not the
   * task.
   */
  exclusive<T>(key: string, task: () => Promise<T>, signal: AbortSignal): Promise<T>;
}
