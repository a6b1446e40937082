// The median of paired ratios and its confidence interval.
import { median } from '../rounds.mjs';

/** The fewest values that have a 95 % interval: of fewer, even all together cover less. */
export const FEWEST = 6;

/**
 * Returns the median of some values and its distribution-free interval between two order statistics: the narrowest
 * symmetric one that covers the true median with a probability of at least 95 % (the sign test, inverted).
 */
export function medianWithInterval(values) {
  if (values.length < FEWEST) throw new Error(`${values.length} values have no 95 % interval: ${FEWEST} are needed`);
  const sorted = [...values].sort((a, b) => a - b);
  const rank = lowerRank(sorted.length);
  return { median: median(sorted), low: sorted[rank - 1], high: sorted[sorted.length - rank] };
}

/** The highest rank r such that at most 2.5 % of samples have fewer than r values below the median: Binomial(n, 1/2). */
function lowerRank(count) {
  let probability = 0.5 ** count;
  let below = probability;
  let rank = 0;
  while (below <= 0.025) {
    rank++;
    probability *= (count - rank + 1) / rank;
    below += probability;
  }
  return rank;
}
