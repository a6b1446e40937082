// Measures candidates in turn, round by round, so that whatever else the machine does is done to all of them alike.

/** The value in the middle. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures every candidate once per round, each round beginning with another one; the first round is for warming up and is
 * not counted. Gives what `measure` gave in each round, by candidate.
 */
export async function allRounds(candidates, rounds, measure) {
  const found = new Map(candidates.map((candidate) => [candidate, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [index] of candidates.entries()) {
      const candidate = candidates[(index + round) % candidates.length];
      const figures = await measure(candidate, round);
      if (round > 0) found.get(candidate).push(figures);
    }
  }
  return found;
}

/** The same, but gives the medians, by candidate, member by member. */
export async function inRounds(candidates, rounds, measure) {
  const found = await allRounds(candidates, rounds, measure);
  return new Map([...found].map(([candidate, all]) => [candidate, medians(all)]));
}

/** The median of each member. */
export function medians(all) {
  const names = Object.keys(all[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(all.map((figures) => figures[name]))]));
}

/**
 * How a member of the one compares with that of the other: the median of the ratios within each round, which is steadier than
 * the ratio of the medians. Undefined if one of them was not measured.
 */
export function ratioInRounds(all, others, name) {
  if (!all?.length || !others?.length) return undefined;
  return median(all.map((figures, round) => figures[name] / others[round][name]));
}
