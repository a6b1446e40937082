// HTTP: 32 connections that are kept alive, each with one call at a time, in each mode.
import { aheadOfPeers, callTable } from '../call-table.mjs';
import { figuresOf } from '../figures.mjs';
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
    const measures = { ...figuresOf(table.rows, 'mcpp'), toFastestPeer: aheadOfPeers(found) };
    return { ...table, measured: [{ mode, measures }] };
  });
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
