/** `fileStore()`: credentials in a file, which several processes can share. */

import { once } from '../../timing/single-flight.ts';
import type { CredentialStore } from './store.ts';

/** Options of `fileStore`. */
export interface FileStoreOptions {
  /**
   * Path of the file. Default: `mcpp/credentials.json` in `$XDG_CONFIG_HOME` or `~/.config`, on Windows in `%APPDATA%`, on
   * macOS in `~/Library/Application Support`.
   */
  readonly path?: string | undefined;
}

/**
 * Keeps credentials in one JSON file that only its owner can read and write. The file is not encrypted. Several processes can
 * share it: writes are atomic, and `exclusive` uses lock files in the folder `<path>.locks`. Requires Node's modules.
 */
export function fileStore({ path }: FileStoreOptions = {}): CredentialStore {
  const key = path ?? defaultKey();
  const store = stores.get(key) ?? makeStore(path);
  stores.set(key, store);
  return store;
}

/** Stores by path. All users of a path share one store, so that they see values that could not be written yet. */
const stores = new Map<string, CredentialStore>();

// The default path depends on these environment variables.
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
