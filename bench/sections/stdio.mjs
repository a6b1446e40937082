// stdio: calls with so many unanswered that a server is never without work, with up to 64, and one at a time. The floor is
// there twice: with a write per answer, and with one write for all answers to what was read at once.
import { atLeast, figure } from '../bars.mjs';
import { callTable } from '../call-table.mjs';
import { ADD } from '../modes.mjs';
import { lengthOf, measureAll, measureStdio, readyOverStdio, withReady } from '../ready.mjs';

const WAYS = [
  // More than a server reads at once. Of fewer it may answer all together, and then it waits for the driver.
  { words: 'pipelined', title: 'tools/call over stdio, up to 1,024 unanswered', window: 1024, isNew: false },
  { words: 'pipelined, 2026-07-28', title: 'The same in 2026-07-28', window: 1024, isNew: true },
  { title: 'tools/call over stdio, up to 64 unanswered', window: 64, isNew: false },
  { title: 'tools/call over stdio, one at a time', window: 1, isNew: false },
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

async function tableOf({ words, title, window, isNew }, { rounds, seconds, candidates, log }) {
  const start = (candidate) => readyOverStdio(candidate, { isNew, tools: 3, request: ADD });
  log(title);
  const able = overStdio(candidates).filter(({ revisions }) => !isNew || revisions.includes('2026-07-28'));
  return withReady(able, log, start, async (ready) => {
    const all = await measureAll(ready, rounds, log, (one, round) =>
      measureStdio(one, lengthOf(round, seconds), window),
    );
    const found = new Map([...all].map(([{ name }, figures]) => [name, figures]));
    const label = words === 'pipelined' ? 'stdio, pipelined' : undefined;
    const table = callTable({
      title: `${title}${isNew ? '' : ', 2025-11-25'}`,
      label,
      found,
      isOneByOne: window === 1,
      log,
    });
    return { ...table, bars: words ? barsOf(words, table.rows) : [] };
  });
}

function barsOf(words, rows) {
  return [
    ...atLeast(
      `stdio, ${words}: requests/s of the floor with a write per answer`,
      figure(rows, 'mcpp', 'toFloor'),
      1.2,
    ),
    ...atLeast(`stdio, ${words}: requests/s of official v2`, figure(rows, 'mcpp', 'toOfficial'), 10),
  ];
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
