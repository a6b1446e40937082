// Figures beside each other, and whether they are as good as they have to be.

import { medians, ratioInRounds } from './rounds.mjs';

const OFFICIAL = 'official v2';

/**
 * Rows from what was found in each round, by candidate name: medians, and this column as a multiple of the floor's and of
 * official v2's in the same round.
 */
export function rowsOf(found, column) {
  return [...found].map(([name, all]) => ({
    name,
    figures: {
      ...medians(all),
      toFloor: ratioInRounds(all, found.get('floor'), column),
      toOfficial: ratioInRounds(all, found.get(OFFICIAL), column),
    },
  }));
}

/** A figure of a row, or nothing if there is no such row. */
export function figure(rows, name, column) {
  return rows.find((row) => row.name === name)?.figures[column];
}

/** A bar that is a least value. None if there is nothing to hold against it. */
export function atLeast(text, value, bar) {
  return Number.isFinite(value) ? [{ text, value, bar, isMet: value >= bar }] : [];
}

/** A bar that is a greatest value. None if there is nothing to hold against it. */
export function atMost(text, value, bar) {
  return Number.isFinite(value) ? [{ text, value, bar, isMet: value <= bar }] : [];
}
