// tools/call over stdio with 1,024, 64 and 1 unanswered calls, in both revisions. The floor is measured twice: with one write
// per answer, and with one write for all answers to the requests of one read.
import { callTable } from '../call-table.mjs';
import { figuresOf } from '../figures.mjs';
import { ADD } from '../modes.mjs';
import { lengthOf, measureAll, measureStdio, readyOverStdio, withReady } from '../ready.mjs';

const OLD = '2025-11-25';
const NEW = '2026-07-28';

/** `inFlight` is the largest number of unanswered calls. A server reads fewer than 1,024 at once, so it always has work. */
const WAYS = [
  { inFlight: 1024, revision: OLD, label: 'stdio, pipelined' },
  { inFlight: 1024, revision: NEW },
  { inFlight: 64, revision: OLD },
  { inFlight: 64, revision: NEW },
  { inFlight: 1, revision: OLD },
  { inFlight: 1, revision: NEW },
];

/** The candidates that can be talked to over stdio, and the floor with its writes joined. */
export function overStdio(candidates) {
  return candidates
    .filter(({ modes }) => modes.includes('stdio'))
    .flatMap((candidate) =>
      candidate.name === 'floor'
        ? [candidate, { ...candidate, name: 'floor, joined writes', env: { RAW_BATCH: '1' } }]
        : [candidate],
    );
}

async function tableOf({ inFlight, revision, label }, { rounds, seconds, candidates, log }) {
  const isNew = revision === NEW;
  const start = (candidate) => readyOverStdio(candidate, { isNew, tools: 3, request: ADD });
  const words = inFlight === 1 ? 'one at a time' : `up to ${inFlight.toLocaleString('en')} unanswered`;
  const title = `tools/call over stdio, ${words}, ${revision}`;
  log(title);
  const able = overStdio(candidates).filter(({ revisions }) => !isNew || revisions.includes(NEW));
  return withReady(able, log, start, async (ready) => {
    const all = await measureAll(ready, rounds, log, (one, round) =>
      measureStdio(one, lengthOf(round, seconds), inFlight),
    );
    const found = new Map([...all].map(([{ name }, figures]) => [name, figures]));
    const table = callTable({ title, label, found, isOneByOne: inFlight === 1, log });
    const mode = `${revision.slice(0, 4)}-${inFlight}`;
    return { ...table, measured: [{ mode, measures: figuresOf(table.rows, 'mcpp') }] };
  });
}

export const section = {
  name: 'stdio',
  title: 'stdio',
  async run(settings) {
    const tables = [];
    for (const way of WAYS) tables.push(await tableOf(way, settings));
    return { tables };
  },
};
