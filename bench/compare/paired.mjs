// Measures two builds against each other, in rounds whose ratios are independent of each other.
import { median } from '../rounds.mjs';
import { medianWithInterval } from './interval.mjs';

const MEASURES = ['cpu', 'time'];

/**
 * Measures both builds in each round. Returns for `cpu` and `time` (microseconds per call) the medians of `old` and `new` and
 * the median of their ratios with its interval. A round starts two new processes: the way V8 compiled a process stays with it
 * and can change its cost by more than the difference in question. Within a round, calls are made in slices in the order old,
 * new, new, old, so that a disturbance of the machine meets both builds.
 */
export async function comparePaired(mode, builds, { rounds, slices, share }) {
  const found = [];
  for (let round = 0; round < rounds; round++) {
    found.push(await measureRound(mode, round % 2 === 0 ? builds : [...builds].reverse(), slices, share));
  }
  return Object.fromEntries(MEASURES.map((measure) => [measure, summary(found, measure)]));
}

function summary(found, measure) {
  return {
    old: median(found.map((round) => round.old[measure])),
    new: median(found.map((round) => round.new[measure])),
    ratio: medianWithInterval(found.map((round) => round.new[measure] / round.old[measure])),
  };
}

async function measureRound(mode, builds, slices, share) {
  const subjects = [];
  try {
    for (const build of builds) subjects.push(await mode.start(build));
    for (const subject of subjects) {
      await subject.measure(mode.warmUp * share);
      await subject.collectGarbage();
    }
    const means = new Map(subjects.map((subject) => [subject, { cpu: 0, time: 0 }]));
    for (let slice = 0; slice < slices; slice++) {
      for (const subject of slice % 2 === 0 ? subjects : [...subjects].reverse()) {
        const figures = await subject.measure(mode.slice);
        for (const measure of MEASURES) means.get(subject)[measure] += figures[measure] / slices;
      }
    }
    return Object.fromEntries([...means].map(([{ name }, figures]) => [name, figures]));
  } finally {
    for (const subject of subjects) await subject.stop();
  }
}
