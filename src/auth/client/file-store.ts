/** Credentials in a file, for several processes and for longer than one of them runs. */

import { once } from '../../timing/single-flight.ts';
import type { CredentialStore } from './store.ts';

/** Where credentials are kept. */
export interface FileStoreOptions {
  /**
   * The file. Without it: `mcpp/credentials.json` in `$XDG_CONFIG_HOME` or `~/.config`, in `%APPDATA%` on Windows, in
   * `~/Library/Application Support` on macOS.
   */
  readonly path?: string | undefined;
}

/**
 * A store in one JSON file, which only its owner may read and write. Processes may share it: each change is written as a
 * whole or not at all, and `exclusive` holds among all of them. Next to the file is a folder with their locks. What is in
 * the file is not encrypted. Needs a runtime with Node's modules.
 */
export function fileStore({ path }: FileStoreOptions = {}): CredentialStore {
  const key = path ?? defaultKey();
  const store = stores.get(key) ?? makeStore(path);
  stores.set(key, store);
  return store;
}

/** One store for each file, so that all who use the file see what could not be written to it yet. */
const stores = new Map<string, CredentialStore>();

// The place of the default file depends on these.
function defaultKey(): string {
  const env = globalThis.process?.env ?? {};
  return JSON.stringify([env['XDG_CONFIG_HOME'], env['HOME'], env['APPDATA']]);
}

function makeStore(path: string | undefined): CredentialStore {
  const open = once(async (): Promise<CredentialStore> => {
    const { openFileStore } = await import('#auth-file-store');
    return openFileStore(path);
  });
  return {
    get: async (key) => (await open()).get(key),
    set: async (key, value) => (await open()).set(key, value),
    exclusive: async (key, task, signal) => (await open()).exclusive(key, task, signal),
  };
}
