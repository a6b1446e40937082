// Rows of a table: medians of all rounds, and ratios to the floor and to official v2.

import { medians, ratioInRounds } from './rounds.mjs';

const OFFICIAL = 'official v2';

/**
 * Returns the rows for the figures of each round, by candidate name: medians, and `column` as a multiple of the floor's and of
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

/** Returns the figures of the row with this name, by column; none if there is no such row. */
export function figuresOf(rows, name) {
  return rows.find((row) => row.name === name)?.figures ?? {};
}
