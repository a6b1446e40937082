/** File store for runtimes without a file system. */

import { AuthError } from '../errors.ts';
import type { CredentialStore } from './store.ts';

/** Always throws an `AuthError`. */
export function openFileStore(_path?: string): CredentialStore {
  const text = 'There are no files here to keep credentials in: pass a store of your own, or memoryStore()';
  throw new AuthError('store_unavailable', text);
}
