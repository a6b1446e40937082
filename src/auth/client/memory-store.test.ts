import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { memoryStore } from './memory-store.ts';

const { signal } = new AbortController();

/** A promise that is settled from outside. */
function later(): { readonly promise: Promise<void>; resolve(): void; reject(error: Error): void } {
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
}

test('what is kept under a key comes back, until it is taken away', async () => {
  const store = memoryStore();
  expect(await store.get('a')).toBeUndefined();
  await store.set('a', { token: 'x', scopes: ['r', 'w'] });
  await store.set('__proto__', null);
  expect(await store.get('a')).toEqual({ token: 'x', scopes: ['r', 'w'] });
  expect(await store.get('__proto__')).toBeNull();
  await store.set('a', undefined);
  expect(await store.get('a')).toBeUndefined();
});

test('nobody changes what is kept by changing what they got or gave', async () => {
  const store = memoryStore();
  const given = { scopes: ['r'] };
  await store.set('a', given);
  given.scopes.push('w');
  const gotten = (await store.get('a')) as { scopes: string[] };
  gotten.scopes.push('x');
  expect(await store.get('a')).toEqual({ scopes: ['r'] });
});

test('tasks of one key run one after the other, in the order they came; those of another key do not wait', async () => {
  const store = memoryStore();
  const seen: string[] = [];
  const first = later();
  const run = (key: string, name: string, until?: Promise<void>): Promise<unknown> =>
    store.exclusive(
      key,
      async () => {
        seen.push(`${name} begins`);
        await until;
        seen.push(`${name} ends`);
      },
      signal,
    );
  const all = [run('a', '1', first.promise), run('a', '2'), run('a', '3'), run('b', 'other')];
  await all[3];
  expect(seen).toEqual(['1 begins', 'other begins', 'other ends']);
  first.resolve();
  await Promise.all(all);
  expect(seen.slice(3)).toEqual(['1 ends', '2 begins', '2 ends', '3 begins', '3 ends']);
});

test('a task that fails tells so, and lets the next one run', async () => {
  const store = memoryStore();
  const failing = store.exclusive('a', () => Promise.reject(new Error('failed')), signal);
  const next = store.exclusive('a', async () => 'next', signal);
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('next');
});

test('who gives up waiting is told its own reason, never runs, and holds nobody up', async () => {
  const store = memoryStore();
  const first = later();
  const running = store.exclusive('a', () => first.promise, signal);
  const patience = new AbortController();
  let ran = false;
  const impatient = store.exclusive(
    'a',
    async () => {
      ran = true;
    },
    patience.signal,
  );
  const next = store.exclusive('a', async () => 'next', signal);
  const reason = new Error('enough');
  patience.abort(reason);
  await expect(impatient).rejects.toBe(reason);
  first.resolve();
  await running;
  expect(await next).toBe('next');
  expect(ran).toBe(false);
  await expect(store.exclusive('a', async () => 1, patience.signal)).rejects.toBe(reason);
});

test('the signal ends the waiting, not the task', async () => {
  const store = memoryStore();
  const patience = new AbortController();
  const first = later();
  const running = store.exclusive('a', () => first.promise.then(() => 'done'), patience.signal);
  patience.abort();
  first.resolve();
  expect(await running).toBe('done');
});

test('a store that is printed shows nothing of what is kept', async () => {
  const store = memoryStore();
  await store.set('https://issuer.example', { token: 'secret-token' });
  expect(inspect(store, { depth: 9, showHidden: true })).not.toMatch(/secret-token|issuer/);
});
