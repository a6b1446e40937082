// What the driver costs, and whether it was in the way: figures are those of the server only where the server needs more.

/** A server that is never without work has about a core when nothing else runs. */
const ENOUGH = 0.8;

/** Begins to count the CPU time of this process; the function gives what it has used since, in microseconds. */
export function driverCost() {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
}

/**
 * Says which servers cost no more per request than the driver (`cpu` and `driver`, in microseconds): their requests per second
 * are those of the driver, and they may be faster than shown. Undefined if there are none.
 */
export function driverWarning(figuresByName) {
  const slowed = [...figuresByName].filter(([, { cpu, driver }]) => driver >= cpu);
  if (slowed.length === 0) return undefined;
  const costs = slowed.map(
    ([name, { cpu, driver }]) => `${name} (${cpu.toFixed(1)} µs, driver ${driver.toFixed(1)} µs)`,
  );
  return `The driver was the bottleneck, requests/s are a lower bound: ${costs.join(', ')}.`;
}

/**
 * Says so if the floor did not have a core for itself although it had work all the time and the driver needs less: then
 * something else was running, and requests per second say little.
 */
export function busyWarning(figuresByName) {
  const { perSecond, cpu, driver } = figuresByName.get('floor') ?? {};
  const share = (perSecond * cpu) / 1e6;
  if (!(share < ENOUGH) || driver >= cpu) return undefined;
  return `The floor had only ${share.toFixed(2)} of a core: something else was running, and CPU tells more than requests/s.`;
}
