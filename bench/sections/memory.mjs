// Memory that a server keeps for a session nothing goes on in, and for a stream that is open; and whether it is given back.
import { acceptOf } from '../candidates.mjs';
import { figuresOf } from '../figures.mjs';
import { inTurn } from '../load/http.mjs';
import { openStreams, requestWithoutBody } from '../load/streams.mjs';
import { bytesOf, greetOften } from '../modes.mjs';
import { median } from '../rounds.mjs';
import { startServer } from '../server-process.mjs';
import { within } from '../within.mjs';

const SESSIONS = 2000;
const STREAMS = 1000;
const MOST_ROUNDS = 3;
/** It takes a second to open a session, which is too long for so many. */
const LEFT_OUT = 'fastmcp';
const DEADLINE_MS = 60_000;
const KILOBYTE = 1024;

const LISTEN = { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } };

/** Heap in bytes, when everything that can be collected is; bytes that a program keeps outside of it count as well. */
async function heapOf(server) {
  // Connections that were closed are noticed one by one.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await server.usage('gc');
  await server.usage('gc');
  const { memory } = await server.usage('gc');
  return memory.heapUsed + memory.external;
}

/** Sessions of 2025: opened, with streams, and ended. */
async function measureSessions({ server, mode, revision }) {
  const { port } = server;
  const headers = (session) => ({ 'mcp-protocol-version': revision, 'mcp-session-id': session });
  const streamOf = ({ session }) => requestWithoutBody('GET', { ...headers(session), accept: 'text/event-stream' });
  const endOf = ({ session }) => requestWithoutBody('DELETE', headers(session));

  return twice(async () => {
    const empty = await heapOf(server);
    const sessions = await greetOften(port, mode, SESSIONS);
    const idle = await heapOf(server);
    const close = await openStreams(port, sessions.slice(0, STREAMS).map(streamOf));
    const listening = await heapOf(server);
    close();
    await inTurn(port, sessions.map(endOf));
    const after = await heapOf(server);
    return {
      'KB/session': (idle - empty) / SESSIONS / KILOBYTE,
      'KB/stream': (listening - idle) / STREAMS / KILOBYTE,
      'kept %': keptOf(empty, listening, after),
    };
  });
}

/** Subscriptions of 2026-07-28, which are the streams there. */
function measureSubscriptions({ server, mode, accept }) {
  const requests = Array.from({ length: STREAMS }, (_, id) => bytesOf({ mode, accept }, LISTEN, id + 1));
  return twice(async () => {
    const empty = await heapOf(server);
    const close = await openStreams(server.port, requests);
    const listening = await heapOf(server);
    close();
    const after = await heapOf(server);
    return {
      'KB/stream': (listening - empty) / STREAMS / KILOBYTE,
      'kept %': keptOf(empty, listening, after),
    };
  });
}

/** Only the second time counts: the first time code is compiled and tables grow, which is kept with good reason. */
async function twice(measure) {
  await measure();
  return measure();
}

const keptOf = (empty, full, after) => (100 * Math.max(0, after - empty)) / (full - empty);

/** Measures every candidate in a process that is new each time. */
async function rowsOf(candidates, modeOf, measure, { rounds, log }) {
  const found = new Map();
  const failed = new Set();
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
    for (const candidate of candidates.filter((each) => !failed.has(each))) {
      const { name, file } = candidate;
      const mode = modeOf(candidate);
      const server = await startServer(file, { mode });
      try {
        const accept = acceptOf(candidate, mode);
        const revision = candidate.revisions.at(-1);
        const figures = await within(DEADLINE_MS, measure({ server, mode, accept, revision }));
        found.set(name, [...(found.get(name) ?? []), figures]);
      } catch (error) {
        failed.add(candidate);
        log(`${name} is left out: ${error.message.split('\n')[0]}`);
      } finally {
        await server.stop();
      }
    }
  }
  const medianOf = (all, column) => median(all.map((figures) => figures[column]));
  return [...found].map(([name, all]) => ({
    name,
    figures: {
      ...Object.fromEntries(Object.keys(all[0]).map((column) => [column, medianOf(all, column)])),
      toFloor: medianOf(all, 'KB/stream') / medianOf(found.get('floor'), 'KB/stream'),
    },
  }));
}

/** The first of these modes that each candidate has; those that have none are not measured. */
const withMode = (candidates, modes) => {
  const modeOf = (candidate) => modes.find((mode) => candidate.modes.includes(mode));
  return { able: candidates.filter(modeOf), modeOf };
};

async function sessionTable(settings) {
  settings.log('Sessions and their streams');
  const { able, modeOf } = withMode(
    settings.candidates.filter(({ name }) => name !== LEFT_OUT),
    ['stateful-sse', 'stateful-json'],
  );
  const rows = await rowsOf(able, modeOf, measureSessions, settings);
  return {
    title: `Heap of ${SESSIONS.toLocaleString('en')} idle sessions and ${STREAMS} open streams, 2025-11-25 or the latest before it`,
    note: 'toFloor compares streams. What is kept is that of both together, after the streams were closed and the sessions ended. fastmcp is left out: it takes a second to open a session.',
    columns: ['KB/session', 'KB/stream', 'toFloor', 'kept %'],
    rows,
    measured: [{ mode: 'sessions', measures: figuresOf(rows, 'mcpp') }],
  };
}

async function subscriptionTable(settings) {
  settings.log('Subscriptions');
  const { able, modeOf } = withMode(settings.candidates, ['modern-sse', 'modern-json']);
  const rows = await rowsOf(able, modeOf, measureSubscriptions, settings);
  return {
    title: `Heap of ${STREAMS} open subscriptions, 2026-07-28`,
    columns: ['KB/stream', 'toFloor', 'kept %'],
    rows,
    measured: [{ mode: 'subscriptions', measures: figuresOf(rows, 'mcpp') }],
  };
}

export const section = {
  name: 'memory',
  title: 'Memory of sessions and streams',
  async run(settings) {
    return { tables: [await sessionTable(settings), await subscriptionTable(settings)] };
  },
};
