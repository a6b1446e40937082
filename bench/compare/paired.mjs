// Measures two servers against each other, in rounds whose ratios are independent of each other.
import { median } from '../rounds.mjs';
import { medianWithInterval } from './interval.mjs';

/**
 * Measures both candidates in each round and returns, of CPU microseconds per call, the medians of `old` and `new`, and the
 * median of their ratios with its interval. A round starts two new processes: how a process was compiled stays with it, and
 * can change its cost by more than the difference looked for. Within a round, calls are made in slices in the order old,
 * new, new, old, so that what else the machine does meets both.
 */
export async function comparePaired(mode, candidates, { rounds, slices, share }) {
  const found = [];
  for (let round = 0; round < rounds; round++) {
    found.push(await measureRound(mode, round % 2 === 0 ? candidates : [...candidates].reverse(), slices, share));
  }
  return summary(found);
}

/** Returns the summary of rounds, each with CPU per call of `old` and `new`. */
export function summary(found) {
  const ratios = found.map((round) => round.new / round.old);
  return {
    old: median(found.map((round) => round.old)),
    new: median(found.map((round) => round.new)),
    ratio: medianWithInterval(ratios),
  };
}

async function measureRound(mode, candidates, slices, share) {
  const servers = [];
  try {
    for (const candidate of candidates) servers.push(await mode.ready(candidate));
    for (const server of servers) {
      await mode.measure(server, mode.warmUp * share);
      await server.server.usage('gc');
    }
    const cpu = new Map(servers.map((server) => [server, 0]));
    for (let slice = 0; slice < slices; slice++) {
      for (const server of slice % 2 === 0 ? servers : [...servers].reverse()) {
        const figures = await mode.measure(server, mode.slice);
        cpu.set(server, cpu.get(server) + figures.cpu / slices);
      }
    }
    return Object.fromEntries([...cpu].map(([{ name }, microseconds]) => [name, microseconds]));
  } finally {
    for (const { server } of servers) await server.stop();
  }
}
