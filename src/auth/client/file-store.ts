/** Credentials in a file, for several processes and for longer than one of them runs. */

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
  let opened: Promise<CredentialStore> | undefined;
  const open = (): Promise<CredentialStore> => {
    opened ??= import('#auth-file-store').then(({ openFileStore }) => openFileStore(path));
    return opened;
  };
  return {
    get: async (key) => (await open()).get(key),
    set: async (key, value) => (await open()).set(key, value),
    exclusive: async (key, task, signal) => (await open()).exclusive(key, task, signal),
  };
}
