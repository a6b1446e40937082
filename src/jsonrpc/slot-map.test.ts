import { describe, expect, test } from 'vitest';
import { SlotMap, Slots } from './slot-map.ts';

describe('places', () => {
  test('are given back and used again, so that there are never more than were needed at a time', () => {
    const places = new Slots<string>();
    const [first, second] = [places.add('a'), places.add('b')];
    places.remove(first);
    places.remove(first);
    expect([places.size, [...places]]).toEqual([1, ['b']]);
    expect(places.add('c')).toBe(first);
    expect([places.get(first), places.get(second), places.size]).toEqual(['c', 'b', 2]);
  });
});

describe('what is kept by key', () => {
  test('is found until it is deleted or replaced', () => {
    const kept = new SlotMap<number | string, string>();
    kept.set(1, 'a');
    kept.set('1', 'b');
    expect([kept.get(1), kept.get('1'), kept.get(2), kept.size]).toEqual(['a', 'b', undefined, 2]);
    kept.set(1, 'c');
    expect([kept.get(1), kept.keys(), kept.values().sort()]).toEqual(['c', ['1', 1], ['b', 'c']]);
    expect([kept.delete(1), kept.delete(1), kept.has(1)]).toEqual([true, false, false]);
    kept.clear();
    expect([kept.size, kept.values(), kept.get('1')]).toEqual([0, [], undefined]);
  });

  test('may be deleted while all keys are gone through', () => {
    const kept = new SlotMap<number, string>();
    for (let key = 0; key < 5; key++) kept.set(key, `${key}`);
    for (const key of kept.keys()) kept.delete(key);
    expect(kept.size).toBe(0);
  });
});
