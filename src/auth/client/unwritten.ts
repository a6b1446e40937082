/** Credentials that a store could not write, for instance to a full disk, stay in memory until the store can write them. */

import { printable } from '../../jsonrpc/printable.ts';
import { unref } from '../../timing/timer-range.ts';
import { isIssued } from './records.ts';
import type { CredentialStore, Json } from './store.ts';

interface Unwritten {
  readonly value: Json | undefined;
  /**
   * The value that the store holds under the same key, as JSON. Once that differs, another process has written a newer value. Null: the store
   * could not be read either.
   */
  readonly stored: string | undefined | null;
}

const FIRST_RETRY_MS = 5000;
const LONGEST_RETRY_MS = 60_000;
const UNREADABLE: Json = Object.freeze({});

/** One for each store, so that all who use the store see what is unwritten. */
const wrapped = new WeakMap<CredentialStore, CredentialStore>();

/**
 * The same store, in which writes do not fail, except those that take tokens away. An authorization server accepts a refresh
 * token once: the new one must be used also where it cannot be written. It is written as soon as the store can, and lost if
 * the process ends before.
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

  // Only while nobody else who shares the store can write a newer value in between.
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
