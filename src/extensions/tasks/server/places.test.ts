import { expect, test } from 'vitest';
import { Places } from './places.ts';

test('there are so many for all, and for each owner; what is given back is free again, once', () => {
  const places = new Places({ all: 5, perOwner: 3 });
  const leave = places.take('alice', 2);
  expect([places.free('alice'), places.free('bob'), places.free('')]).toEqual([1, 3, 3]);
  places.take('', 2);
  expect([places.free('alice'), places.free('bob'), places.free('')]).toEqual([1, 1, 1]);
  leave();
  leave();
  expect([places.free('alice'), places.free('bob'), places.free('')]).toEqual([3, 3, 3]);
});

test('more may be taken than there are: then none is free', () => {
  const places = new Places({ all: 5, perOwner: 3 });
  places.take('alice', 9);
  expect([places.free('alice'), places.free('bob')]).toEqual([0, 0]);
});
