import { expect, test } from 'vitest';
import { Pool } from './pool.ts';

const by = (caller: string): { caller: string } => ({ caller });

/** Takes one at a time for as long as there is room. */
function fill(pool: Pool, caller: string): number {
  let taken = 0;
  for (; pool.hasRoom(by(caller)); taken++) pool.take(caller);
  return taken;
}

test('a single caller can hold all but an eighth', () => {
  expect(fill(new Pool(1000), 'a')).toBe(875);
});

test('a pool of less than 1,000 has no reserve', () => {
  expect(fill(new Pool(1), 'a')).toBe(1);
  expect(fill(new Pool(999), 'a')).toBe(999);
});

test('up to half of the pool, shares do not apply', () => {
  const pool = new Pool(1000);
  pool.take('b');
  expect(fill(pool, 'a')).toBe(499);
});

test('above half, a caller is limited to a quarter of the pool while others hold some', () => {
  const pool = new Pool(1000);
  pool.take('b', 300);
  pool.take('c', 300);
  expect(fill(pool, 'a')).toBe(250);
});

test('the reserve is free for other callers within their share', () => {
  const pool = new Pool(1000);
  fill(pool, 'a');
  expect(fill(pool, 'b')).toBe(125);
  expect(pool.hasRoom(by('c'))).toBe(false);
});

test('a caller can exceed its share again when no other holds anything', () => {
  const pool = new Pool(1000);
  pool.take('a', 600);
  pool.take('b', 1);
  expect(pool.hasRoom(by('a'))).toBe(false);
  pool.release('b', 1);
  expect(pool.hasRoom(by('a'))).toBe(true);
});

test('the share can be set', () => {
  const pool = new Pool(1000, 100);
  pool.take('b', 500);
  expect(fill(pool, 'a')).toBe(100);
});

test('the caller is not read while at most half is in use', () => {
  const pool = new Pool(10);
  const ref = {
    get caller(): string {
      throw new Error('asked');
    },
  };
  expect(pool.hasRoom(ref, 5)).toBe(true);
  expect(() => pool.hasRoom(ref, 6)).toThrow('asked');
});
