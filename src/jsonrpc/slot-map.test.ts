import { describe, expect, test } from 'vitest';
import { SlotMap } from './slot-map.ts';

describe('a slot map', () => {
  test('has a value until it is deleted or replaced', () => {
    const map = new SlotMap<number | string, string>();
    map.set(1, 'a');
    map.set('1', 'b');
    expect([map.get(1), map.get('1'), map.get(2), map.size]).toEqual(['a', 'b', undefined, 2]);
    map.set(1, 'c');
    expect([map.get(1), map.keys(), map.values().sort()]).toEqual(['c', ['1', 1], ['b', 'c']]);
    expect([map.delete(1), map.delete(1), map.has(1)]).toEqual([true, false, false]);
    map.clear();
    expect([map.size, map.values(), map.get('1')]).toEqual([0, [], undefined]);
  });

  test('allows to delete entries while its keys are iterated', () => {
    const map = new SlotMap<number, string>();
    for (let key = 0; key < 5; key++) map.set(key, `${key}`);
    for (const key of map.keys()) map.delete(key);
    expect(map.size).toBe(0);
  });

  test('uses the place of a deleted value again', () => {
    const map = new SlotMap<string, string>();
    for (const key of ['a', 'b']) map.set(key, key);
    map.delete('a');
    map.set('c', 'c');
    expect([map.values(), map.keys()]).toEqual([
      ['c', 'b'],
      ['b', 'c'],
    ]);
  });
});
