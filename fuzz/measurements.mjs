// What the programs under test report about themselves.

// A stream that is opened when it is first used: without this it would look like a leak.
process.stderr.write('');

const counted = (names) => {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** Actions for `underAttack`. */
export const measurements = {
  /** Cheap: asked before and after each case. */
  usage() {
    const { user, system } = process.cpuUsage();
    return {
      cpuMs: (user + system) / 1000,
      peakRssMb: process.resourceUsage().maxRSS / 1024,
      pollution: Object.keys(Object.prototype).concat(Object.keys(Array.prototype)),
    };
  },
  /** Heap after garbage collection, in MB. */
  heap() {
    globalThis.gc();
    return process.memoryUsage().heapUsed / 2 ** 20;
  },
  /** Everything that keeps the event loop alive, counted by its type. */
  resources: () => counted(process.getActiveResourcesInfo()),
};
