// A list of 500 tools, over stdio and over HTTP.
import { callTable } from '../call-table.mjs';
import { figuresOf } from '../figures.mjs';
import { LIST } from '../modes.mjs';
import {
  lengthOf,
  measureAll,
  measureHttp,
  measureStdio,
  readyOverHttp,
  readyOverStdio,
  withReady,
} from '../ready.mjs';
import { overStdio } from './stdio.mjs';

const TOOLS = 500;

const WAYS = [
  {
    mode: 'stdio',
    words: 'stdio, 2025-11-25',
    able: overStdio,
    start: (candidate) => readyOverStdio(candidate, { tools: TOOLS, request: LIST }),
    measure: (one, length) => measureStdio(one, length, 8),
  },
  {
    mode: 'http',
    words: 'HTTP, 2026-07-28',
    able: (candidates) => candidates.filter(({ modes }) => modes.includes('modern-json')),
    start: (candidate) => readyOverHttp(candidate, { mode: 'modern-json', tools: TOOLS, request: LIST }),
    measure: measureHttp,
  },
];

async function tableOf({ mode, words, able, start, measure }, { rounds, seconds, candidates, log }) {
  const title = `tools/list with ${TOOLS} tools over ${words}`;
  log(title);
  return withReady(able(candidates), log, start, async (ready) => {
    const all = await measureAll(ready, rounds, log, (one, round) => measure(one, lengthOf(round, seconds)));
    const found = new Map([...all].map(([{ name }, figures]) => [name, figures]));
    const note = 'The floor stringifies its list each time.';
    const table = callTable({ title, note, found, log });
    return { ...table, measured: [{ mode, measures: figuresOf(table.rows, 'mcpp') }] };
  });
}

export const section = {
  name: 'list',
  title: 'A list of 500 tools',
  async run(settings) {
    const tables = [];
    for (const way of WAYS) tables.push(await tableOf(way, settings));
    return { tables };
  },
};
