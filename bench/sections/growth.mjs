// Growth: what a call costs the server with more tools, more sessions, and more calls in flight.
import { OFFICIAL } from '../call-table.mjs';
import { figuresOf } from '../figures.mjs';
import { ADD, bytesOf, greetOften } from '../modes.mjs';
import {
  lengthOf,
  measureAll,
  measureHttp,
  measureStdio,
  readyOverHttp,
  readyOverStdio,
  withReady,
} from '../ready.mjs';
import { medians, ratioInRounds } from '../rounds.mjs';

const CONNECTIONS = 32;

const KINDS = [
  {
    title: 'CPU per call with more tools, HTTP, 2026-07-28',
    unit: 'tools',
    sizes: [3, 10, 100, 1000],
    names: ['floor', 'mcpp', OFFICIAL],
    start: (candidate, tools) => readyOverHttp(candidate, { mode: 'modern-json', tools, request: ADD }),
    measure: (one, length) => measureHttp(one, length),
    isFlat: true,
  },
  {
    title: 'CPU per call with more sessions, HTTP, 2025-11-25',
    note: 'The calls go to all of the sessions in turn.',
    unit: 'sessions',
    sizes: [1, 100, 10_000],
    names: ['floor', 'mcpp'],
    start: readyWithSessions,
    measure: (one, length) => measureHttp(one, length, CONNECTIONS),
    isFlat: true,
  },
  {
    title: 'CPU per call with more in flight, HTTP, 2026-07-28',
    unit: 'in flight',
    sizes: [1, 8, 32, 256],
    names: ['floor', 'mcpp'],
    start: (candidate) => readyOverHttp(candidate, { mode: 'modern-json', tools: 3, request: ADD }),
    measure: measureHttp,
  },
  {
    title: 'CPU per call with more in flight, stdio, 2025-11-25',
    unit: 'in flight',
    sizes: [1, 8, 32, 256],
    names: ['floor', 'mcpp'],
    start: (candidate) => readyOverStdio(candidate, { tools: 3, request: ADD }),
    measure: measureStdio,
  },
];

/** With so many sessions. By default there is room for 10,000, so there is none besides these. */
async function readyWithSessions(candidate, count) {
  const mode = 'stateful-json';
  const first = await readyOverHttp(candidate, { mode, tools: 3, request: ADD });
  try {
    const opened = await greetOften(first.server.port, mode, count - 1);
    const talks = [first.talk, ...opened];
    // Each connection has its own share of the sessions, as far as there are enough.
    const sharesOf = (index) => talks.filter((_, number) => number % CONNECTIONS === index % talks.length);
    const bytesFor = (index) => sharesOf(index).map((talk) => bytesOf(talk, ADD, index + 1));
    return { ...first, bytesFor };
  } catch (error) {
    await first.server.stop();
    throw error;
  }
}

/** Every size of every candidate is a server of its own, and all of them are measured in turn. */
async function tableOf(kind, { rounds, seconds, candidates, log }) {
  const { title, note, unit, sizes, names, start, measure, isFlat } = kind;
  log(title);
  const points = candidates
    .filter(({ name }) => names.includes(name))
    .flatMap((candidate) => sizes.map((size) => ({ ...candidate, size })));
  const startPoint = async (point) => ({ ...(await start(point, point.size)), size: point.size });
  return withReady(points, log, startPoint, async (ready) => {
    // Shorter rounds, and more of them: what is looked for is a difference of some percent.
    const all = await measureAll(ready, rounds * 2, log, (one, round) =>
      measure(one, lengthOf(round, seconds / 2), one.size),
    );
    const roundsOf = (name, size) => [...all].find(([one]) => one.name === name && one.size === size)?.[1];
    const rows = names.filter((name) => roundsOf(name, sizes[0])).map((name) => rowOf(name, kind, roundsOf));
    const measured = isFlat ? [{ mode: unit, measures: figuresOf(rows, 'mcpp') }] : [];
    const columns = [...sizes.map((size) => columnOf(size, unit)), ...(isFlat ? ['growth'] : [])];
    return { title, note, columns, rows, measured };
  });
}

const columnOf = (size, unit) => `${size.toLocaleString('en')} ${size === 1 ? unit.replace(/s$/, '') : unit}`;

/** `growth` is the greatest of the costs as a multiple of the first. */
function rowOf(name, { unit, sizes }, roundsOf) {
  const costs = sizes.map((size) => [columnOf(size, unit), medians(roundsOf(name, size) ?? []).cpu]);
  const ratios = sizes.map((size) => ratioInRounds(roundsOf(name, size), roundsOf(name, sizes[0]), 'cpu') ?? 0);
  return { name, figures: { ...Object.fromEntries(costs), growth: Math.max(...ratios) } };
}

export const section = {
  name: 'growth',
  title: 'Growth',
  async run(settings) {
    const tables = [];
    for (const kind of KINDS) tables.push(await tableOf(kind, settings));
    return { tables };
  },
};
