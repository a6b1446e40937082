// HTTP: 32 connections that are kept alive, each with one call at a time, in each mode.
import { atLeast, atMost, figure } from '../bars.mjs';
import { aheadOfPeers, callTable } from '../call-table.mjs';
import { ADD, HTTP_MODES } from '../modes.mjs';
import { lengthOf, measureAll, measureHttp, readyOverHttp, withReady } from '../ready.mjs';

const WORDS = {
  'modern-json': '2026-07-28, JSON',
  'modern-sse': '2026-07-28, event stream',
  'stateful-json': '2025-11-25 with a session, JSON',
  'stateful-sse': '2025-11-25 with a session, event stream',
  'stateless-json': '2025-11-25 without a session, JSON',
};

async function tableOf(mode, { rounds, seconds, candidates, log }) {
  const able = candidates.filter(({ modes }) => modes.includes(mode));
  const start = (candidate) => readyOverHttp(candidate, { mode, tools: 3, request: ADD });
  log(`HTTP, ${WORDS[mode]}`);
  return withReady(able, log, start, async (ready) => {
    const all = await measureAll(ready, rounds, log, (one, round) => measureHttp(one, lengthOf(round, seconds)));
    const found = new Map([...all].map(([{ name }, figures]) => [name, figures]));
    const table = callTable({ title: `tools/call over HTTP, ${WORDS[mode]}`, label: WORDS[mode], found, log });
    return { ...table, bars: barsOf(WORDS[mode], table.rows, found) };
  });
}

function barsOf(words, rows, found) {
  const closest = aheadOfPeers(found);
  return [
    ...atLeast(`${words}: requests/s of the floor`, figure(rows, 'mcpp', 'toFloor'), 0.8),
    ...atMost(`${words}: CPU per request of the floor`, figure(rows, 'mcpp', 'CPU toFloor'), 1.25),
    ...atLeast(`${words}: requests/s of official v2`, figure(rows, 'mcpp', 'toOfficial'), 7),
    ...atLeast(`${words}: requests/s of the fastest peer (${closest?.name})`, closest?.value, 1),
  ];
}

export const section = {
  name: 'http',
  title: 'HTTP, 32 connections',
  async run(settings) {
    const tables = [];
    for (const mode of HTTP_MODES) tables.push(await tableOf(mode, settings));
    return { tables };
  },
};
