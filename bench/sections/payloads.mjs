// Large messages, and bursts of small ones.
import { acceptOf } from '../candidates.mjs';
import { figuresOf, rowsOf } from '../figures.mjs';
import { areInstalled } from '../installed.mjs';
import { HTTP_MODES } from '../modes.mjs';
import { allRounds } from '../rounds.mjs';
import { startServer } from '../server-process.mjs';
import { answerOverHttp, burstOverHttp, burstOverStdio, echoOverHttp, echoOverStdio } from '../trials.mjs';

const MB = 1e6;
const BURST = 10_000;

/** The servers that give large answers to small questions. */
const ANSWERERS = [
  { name: 'floor', file: 'answers/raw.mjs', needs: [] },
  { name: 'mcpp', file: 'answers/mcpp.mjs', needs: [], accept: 'text/event-stream' },
  {
    name: 'official v2',
    file: 'answers/official-v2.mjs',
    needs: ['@modelcontextprotocol/server', '@modelcontextprotocol/node'],
  },
];

const TRIALS = [
  { title: '1 MB echoed over stdio', mode: 'stdio', trial: echoOverStdio(MB) },
  ...HTTP_MODES.map((mode) => ({ title: `1 MB echoed over HTTP, ${mode}`, mode, trial: echoOverHttp(MB) })),
  ...['modern-json', 'stateful-json'].map((mode) => ({
    title: `3 MB echoed over HTTP, ${mode}`,
    mode,
    trial: echoOverHttp(3 * MB),
  })),
  { title: '10 MB echoed over stdio', mode: 'stdio', trial: echoOverStdio(10 * MB) },
  ...['modern-json', 'modern-sse'].map((mode) => ({
    title: `10 MB answered over HTTP, ${mode}`,
    mode,
    trial: answerOverHttp(10 * MB),
    candidates: ANSWERERS,
  })),
];
const BURSTS = [
  { title: '10,000 progress notifications over stdio', mode: 'stdio', trial: burstOverStdio(BURST) },
  ...['modern-sse', 'stateful-sse'].map((mode) => ({
    title: `10,000 progress notifications over HTTP, ${mode}`,
    mode,
    trial: burstOverHttp(BURST),
  })),
];

const NOTES = {
  'MB/s': 'MB is a million bytes, counted in one direction. CPU is that of the server.',
  'thousand/s':
    'Only what arrived counts: servers may leave out progress for a reader that is too slow. CPU is that of the server.',
};

/** Runs one trial with every server that has its mode. A server that cannot do it says so in its row. */
async function tableOf({ title, mode, trial }, candidates, unit, { rounds, seconds, log }) {
  log(title);
  const running = [];
  try {
    for (const candidate of candidates) running.push(await startTrial(candidate, mode, trial, log));
    const able = running.filter(({ run }) => run);
    const found = await allRounds(able, rounds, (each) => measure(each, unit, seconds / 2));
    const rows = rowsOf(new Map([...found].map(([{ name }, all]) => [name, all])), unit);
    const unable = running.filter(({ run }) => !run).map(({ name }) => ({ name, figures: { [unit]: 'cannot' } }));
    return { title, note: NOTES[unit], rows: [...rows, ...unable] };
  } finally {
    for (const { server } of running) await server.stop();
  }
}

async function startTrial(candidate, mode, trial, log) {
  const { name, file } = candidate;
  const server = await startServer(file, { mode });
  try {
    return { name, server, run: await trial(server, mode, acceptOf(candidate, mode)) };
  } catch (error) {
    log(`${name} cannot: ${error.message}`);
    return { name, server, run: undefined };
  }
}

async function measure({ name, server, run }, unit, seconds) {
  const before = await server.usage();
  const found = await run(seconds).catch((cause) => {
    throw new Error(`${name}: ${cause.message}`, { cause });
  });
  const after = await server.usage();
  const cpu = (after.cpuMicroseconds - before.cpuMicroseconds) / 1000 / found.units;
  const perSecond = found.units / found.seconds;
  return unit === 'MB/s'
    ? { [unit]: perSecond, 'CPU ms/MB': cpu }
    : { [unit]: perSecond, 'CPU ms/thousand': cpu, ms: found.milliseconds, arrived: found.each };
}

/** The title of a table is its mode. */
const measuredIn = ({ title, rows }, more) => [{ mode: title, measures: { ...figuresOf(rows, 'mcpp'), ...more } }];

const costOf = ({ rows }) => figuresOf(rows, 'mcpp')['CPU ms/MB'];

export const section = {
  name: 'payloads',
  title: 'Large messages and bursts',
  async run(settings) {
    const names = new Set(settings.candidates.map(({ name }) => name));
    const able = ({ mode, candidates }) =>
      candidates
        ? candidates.filter(({ name, needs }) => names.has(name) && areInstalled(needs))
        : settings.candidates.filter(({ modes }) => modes.includes(mode));
    const tables = [];
    for (const each of TRIALS) {
      const table = await tableOf(each, able(each), 'MB/s', settings);
      tables.push({ ...table, columns: ['MB/s', 'CPU ms/MB', 'toFloor', 'toOfficial'], measured: measuredIn(table) });
    }
    const [short, long] = ['1 MB', '10 MB'].map((size) =>
      tables.find(({ title }) => title === `${size} echoed over stdio`),
    );
    long.measured = measuredIn(long, { 'CPU to 1 MB': costOf(long) / costOf(short) });
    for (const each of BURSTS) {
      const table = await tableOf(each, able(each), 'thousand/s', settings);
      const columns = ['ms', 'arrived', 'thousand/s', 'CPU ms/thousand', 'toFloor', 'toOfficial'];
      const share = figuresOf(table.rows, 'mcpp').arrived / BURST;
      tables.push({ ...table, columns, measured: measuredIn(table, { share }) });
    }
    return { tables };
  },
};
