// Whether a mode loses: the noise of a measurement is the interval of its ratio.

/**
 * Returns `LOST` if the whole interval of a ratio is above its bound, so that noise does not explain the loss; `unclear` if the
 * bound lies within an interval; `ok` if all intervals end at or below their bounds.
 */
export function verdictOf(result, bounds) {
  const all = Object.entries(bounds).map(([measure, bound]) => ({ ...result[measure].ratio, bound }));
  if (all.some(({ low, bound }) => low > bound)) return 'LOST';
  return all.some(({ high, bound }) => high > bound) ? 'unclear' : 'ok';
}
