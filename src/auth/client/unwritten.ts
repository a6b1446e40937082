/** Keeps credentials in memory that a store could not write, for instance to a full disk, until the store can write them. */

import { printable } from '../../jsonrpc/printable.ts';
import { unref } from '../../timing/timer-range.ts';
import { isIssued } from './records.ts';
import type { CredentialStore, Json } from './store.ts';

interface Unwritten {
  readonly value: Json | undefined;
  /** JSON of the stored value when the write failed. A different value in the store is newer. Null: unreadable store. */
  readonly stored: string | undefined | null;
}

const FIRST_RETRY_MS = 5000;
const LONGEST_RETRY_MS = 60_000;
const UNREADABLE: Json = Object.freeze({});

/** Wrapped stores by original, so that all users of a store see its unwritten values. */
const wrapped = new WeakMap<CredentialStore, CredentialStore>();

/**
 * Wraps a store so that writes do not fail, except the deletion of tokens. An authorization server accepts a refresh token
 * once, so the new one must be used even if it cannot be written. It is written later, and lost if the process ends before.
 */
export function keepingUnwritten(store: CredentialStore): CredentialStore {
  const known = wrapped.get(store);
  if (known) return known;
  const made = makeStore(store);
  wrapped.set(store, made);
  wrapped.set(made, made);
  return made;
}

function makeStore(store: CredentialStore): CredentialStore {
  const unwritten = new Map<string, Unwritten>();
  let retryMs = FIRST_RETRY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const current = async (key: string, known: Unwritten): Promise<Json | undefined> => {
    const stored = known.stored === null ? undefined : await store.get(key).catch(() => UNREADABLE);
    if (known.stored === null || stored === UNREADABLE || textOf(stored) === known.stored) return known.value;
    if (unwritten.get(key) === known) unwritten.delete(key);
    return stored;
  };

  const keep = async (key: string, value: Json | undefined, error: unknown): Promise<void> => {
    const stored = await store.get(key).then(textOf, () => null);
    if (unwritten.size === 0) warn(error);
    unwritten.set(key, { value, stored });
    retryLater();
  };

  // Must run under the lock of the key, so that no other process writes a newer value meanwhile.
  const retry = async (key: string): Promise<void> => {
    const known = unwritten.get(key);
    if (known) await current(key, known);
    if (!known || unwritten.get(key) !== known) return;
    await store.set(key, known.value);
    if (unwritten.get(key) === known) unwritten.delete(key);
  };

  const retryAll = async (): Promise<void> => {
    timer = undefined;
    const { signal } = new AbortController();
    for (const key of [...unwritten.keys()]) await store.exclusive(key, () => retry(key), signal).catch(() => {});
    if (unwritten.size > 0) retryLater();
    else retryMs = FIRST_RETRY_MS;
  };

  const retryLater = (): void => {
    if (timer !== undefined) return;
    timer = unref(setTimeout(() => void retryAll(), retryMs));
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  };

  return {
    async get(key) {
      const known = unwritten.get(key);
      return known ? current(key, known) : store.get(key);
    },
    async set(key, value) {
      try {
        await store.set(key, value);
        unwritten.delete(key);
      } catch (error) {
        // Signing out must fail if the tokens are still in the store.
        if (value === undefined && isIssued(key)) throw error;
        await keep(key, value, error);
      }
    },
    exclusive: (key, task, signal) =>
      store.exclusive(
        key,
        () =>
          unwritten.has(key)
            ? retry(key)
                .catch(() => {})
                .then(task)
            : task(),
        signal,
      ),
  };
}

function warn(error: unknown): void {
  const why = error instanceof Error ? printable(error.message) : 'the store gave no reason';
  console.error(
    `mcpp: New credentials could not be written to the store: ${why}. They are used, kept in memory, and written when that works again.`,
  );
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
