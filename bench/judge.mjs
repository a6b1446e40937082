// Compares measures with the bars of bars.mjs.
import { BARS } from './bars.mjs';

/** Returns the bound of one bar. */
export function boundOf(section, mode, measure) {
  return BARS.find((bar) => bar.section === section && bar.mode === mode && bar.measure === measure).bound;
}

/**
 * Returns the tables of a section with the bars that apply to each. `measured` of a table lists its modes with their
 * measures by name. Throws if the section has a bar for a mode that no table measures.
 */
export function withBars(section, tables) {
  const own = BARS.filter((bar) => bar.section === section);
  const modes = new Set(tables.flatMap(({ measured = [] }) => measured.map(({ mode }) => mode)));
  const lost = own.find(({ mode }) => !modes.has(mode));
  if (lost) throw new Error(`No table of section ${section} measures ${lost.mode}, which bars.mjs has a bar for`);
  return tables.map(({ measured = [], ...table }) => ({
    ...table,
    bars: measured.flatMap(({ mode, measures }) =>
      own.filter((bar) => bar.mode === mode).map((bar) => judged(bar, measures[bar.measure])),
    ),
  }));
}

/** A bar without a value has no verdict: `isMet` is undefined. */
function judged({ section, mode, direction, bound, sentence }, value) {
  const text = `${section}, ${mode}: ${sentence}`;
  if (!Number.isFinite(value)) return { text, direction, bar: bound };
  return { text, value, direction, bar: bound, isMet: direction === '>=' ? value >= bound : value <= bound };
}
