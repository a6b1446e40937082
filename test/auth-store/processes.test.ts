/** Several processes share one file of credentials, and some of them are killed. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFileStore } from '../../src/auth/client/node-file-store.ts';
import { makePlace, type Place } from './child.ts';

let place: Place;
let files = 0;
const newFile = (): string => join(place.folder, `${files++}`, 'credentials.json');
const { signal } = new AbortController();

beforeAll(async () => {
  place = await makePlace();
});
afterAll(() => place.remove());

test('6 processes add 50 each to one number: none of it is lost', async () => {
  const file = newFile();
  const exits = await Promise.all(Array.from({ length: 6 }, () => place.run('increment', file, '50').ended()));
  expect(exits).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await openFileStore(file).get('counter')).toBe(300);
  expect(readdirSync(`${file}.locks`)).toEqual([]);
});

/** The number of the state that is in the file, which is a whole one; and nothing else was lost. */
function wholeState(file: string): number {
  const { credentials } = JSON.parse(readFileSync(file, 'utf8'));
  const { n, copies } = credentials.state;
  expect([credentials.other, copies.length, copies.every((copy: number) => copy === n)]).toEqual([
    'kept',
    20_000,
    true,
  ]);
  return n;
}

/** What the killed ones had begun to write, and their locks, are gone when somebody else writes. */
async function expectClean(file: string): Promise<void> {
  await openFileStore(file).set('other', 'changed');
  expect(await openFileStore(file).get('other')).toBe('changed');
  expect(readdirSync(dirname(file)).sort()).toEqual(['credentials.json', 'credentials.json.locks']);
  expect(readdirSync(`${file}.locks`)).toEqual([]);
}

test('what is killed at whatever moment of a write leaves the old state or the new one', async () => {
  const file = newFile();
  const store = openFileStore(file);
  await store.set('other', 'kept');
  const outcomes: string[] = [];
  for (let moment = 0; outcomes.at(-1) !== 'not killed'; moment++) {
    await store.set('state', { n: 0, copies: Array<number>(20_000).fill(0) });
    const code = await place.run('crash', file, String(moment)).ended();
    outcomes.push(code === 0 ? 'not killed' : wholeState(file) === 0 ? 'old' : 'new');
  }
  expect([...new Set(outcomes)]).toEqual(['old', 'new', 'not killed']);
  expect(outcomes.length).toBeGreaterThan(8);
  expect(wholeState(file)).toBe(1);
  await expectClean(file);
});

test('what is killed by surprise while it writes does too, and whoever reads meanwhile sees whole states', async () => {
  const file = newFile();
  const store = openFileStore(file);
  await store.set('other', 'kept');
  for (let round = 0; round < 5; round++) {
    const writer = place.run('write', file);
    let isOver = false;
    const killed = writer.told(2 + Math.floor(Math.random() * 8)).then(async () => {
      await writer.kill();
      isOver = true;
    });
    await writer.told(1);
    while (!isOver) {
      wholeState(file);
      await new Promise(setImmediate);
    }
    await killed;
    wholeState(file);
  }
  await expectClean(file);
});

test('the lock of a process that is killed goes to the next one, long before it would be seen as stale by its age', async () => {
  const file = newFile();
  const holder = place.run('hold', file);
  await holder.told(1);
  const gotten: number[] = [];
  const next = [1, 2, 3, 4].map((n) => openFileStore(file).exclusive('counter', async () => gotten.push(n), signal));
  const others = [place.run('increment', file, '5'), place.run('increment', file, '5')];
  await holder.kill();
  const killedAt = performance.now();
  await Promise.all(next);
  expect(performance.now() - killedAt).toBeLessThan(5000);
  expect(gotten).toEqual([1, 2, 3, 4]);
  expect(await Promise.all(others.map((other) => other.ended()))).toEqual([0, 0]);
  expect(await openFileStore(file).get('counter')).toBe(10);
});

test('a long task under one key holds up neither other keys nor writing', async () => {
  const file = newFile();
  const holder = place.run('hold', file);
  await holder.told(1);
  const store = openFileStore(file);
  await store.set('counter', 7);
  expect(await store.exclusive('another', async () => store.get('counter'), signal)).toBe(7);
  await holder.kill();
});

test('a process that ends takes its locks with it', async () => {
  const file = newFile();
  expect(await place.run('hold-exit', file).ended()).toBe(0);
  expect(readdirSync(`${file}.locks`)).toEqual([]);
});

test('to have a lock does not keep a process alive', async () => {
  const file = newFile();
  // 13: it ended while it still waited for something.
  expect(await place.run('hold-idle', file).ended()).toBe(13);
  expect(readdirSync(`${file}.locks`)).toEqual([]);
});
