// The table of one way to call servers: how many requests per second, at what cost, beside the floor and official v2.
import { busyWarning, driverWarning } from './load/cost.mjs';
import { medians, ratioInRounds } from './rounds.mjs';

export const OFFICIAL = 'official v2';
const COLUMNS = ['requests/s', 'toFloor', 'toOfficial', 'CPU µs', 'CPU toFloor', 'p50 ms', 'p99 ms', 'driver µs'];

/**
 * A table of what was measured in each round, by candidate name. Ratios are medians of the ratios within each round. `isOneByOne`:
 * the server has nothing to do while the driver reads its answer.
 */
export function callTable({ title, label, note, found, isOneByOne = false, log }) {
  const middle = new Map([...found].map(([name, all]) => [name, medians(all)]));
  // One by one, both are waited for, whichever costs more.
  const warnings = isOneByOne ? [] : [driverWarning(middle), busyWarning(middle)].filter(Boolean);
  for (const warning of warnings) log(warning);
  const rows = [...middle].map(([name, { perSecond, cpu, p50, p99, driver }]) => ({
    name,
    figures: {
      'requests/s': perSecond,
      toFloor: ratioInRounds(found.get(name), found.get('floor'), 'perSecond'),
      toOfficial: ratioInRounds(found.get(name), found.get(OFFICIAL), 'perSecond'),
      'CPU µs': cpu,
      'CPU toFloor': ratioInRounds(found.get(name), found.get('floor'), 'cpu'),
      'p50 ms': p50,
      'p99 ms': p99,
      'driver µs': driver,
    },
  }));
  return { title, label, note: [note, ...warnings].filter(Boolean).join(' '), columns: COLUMNS, rows };
}

/** Returns the requests per second of mcpp as a multiple of those of the fastest peer; undefined without a peer. */
export function aheadOfPeers(found) {
  const peers = [...found.keys()].filter((name) => !name.startsWith('floor') && name !== 'mcpp');
  const ratios = peers.map((name) => ratioInRounds(found.get('mcpp'), found.get(name), 'perSecond'));
  return ratios.length > 0 ? Math.min(...ratios) : undefined;
}
