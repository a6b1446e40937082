// Servers that are ready to be measured: started, greeted, and found to give the right answer; and how each is measured.
import { acceptOf } from './candidates.mjs';
import { load as loadHttp, once } from './load/http.mjs';
import { ask, load as loadStdio } from './load/stdio.mjs';
import { bytesOf, greet, greetOverStdio, messageOf } from './modes.mjs';
import { allRounds } from './rounds.mjs';
import { startServer } from './server-process.mjs';
import { within } from './within.mjs';

/** What has to be there: without these there is nothing to compare. */
const NEEDED = ['floor', 'mcpp'];
/** Whoever has not answered after so long, or so long after the end of a round, is not going to. */
const PATIENCE_MS = 30_000;

/**
 * Has `start` make each candidate ready, hands those that are to `use`, and stops them. A peer that does not start or
 * answers wrongly is left out, and that is told.
 */
export async function withReady(candidates, log, start, use) {
  const ready = [];
  try {
    for (const candidate of candidates) {
      try {
        ready.push(await start(candidate));
      } catch (error) {
        leaveOut(candidate, error, log);
      }
    }
    return await use(ready);
  } finally {
    for (const { server } of ready) await server.stop();
  }
}

/**
 * Measures all of them round by round; gives what `measureOne` gave in each round. A peer that fails is left out from then on,
 * and of what is given.
 */
export async function measureAll(ready, rounds, log, measureOne) {
  const failed = new Set();
  const found = await allRounds(ready, rounds, async (one, round) => {
    if (failed.has(one)) return undefined;
    try {
      return await measureOne(one, round);
    } catch (error) {
      leaveOut(one, error, log);
      failed.add(one);
      return undefined;
    }
  });
  return new Map([...found].filter(([one]) => !failed.has(one)));
}

function leaveOut({ name }, error, log) {
  if (NEEDED.includes(name)) throw error;
  log(`${name} is left out: ${error.message}`);
}

/** A candidate over HTTP in this mode; `request` is what it is going to be asked. */
export async function readyOverHttp(candidate, { mode, tools, request }) {
  return orStopped(await startServer(candidate.file, { mode, tools }), async (server) => {
    const talk = await greet(server.port, mode, acceptOf(candidate, mode));
    const check = async () => {
      const { status, body } = await once(server.port, bytesOf(talk, request, 1));
      if (status !== 200) throw new Error(`${candidate.name} answered ${status}: ${body.slice(0, 500)}`);
      checkAnswer(candidate.name, messageIn(body), tools);
    };
    await check();
    return { name: candidate.name, server, talk, check, bytesFor: (index) => bytesOf(talk, request, index + 1) };
  });
}

/** A candidate over stdio, in 2026-07-28 or in 2025-11-25. */
export async function readyOverStdio(candidate, { isNew = false, tools, request }) {
  const { name, file, env } = candidate;
  return orStopped(await startServer(file, { mode: 'stdio', tools, env }), async (server) => {
    if (!isNew) await greetOverStdio(server.child);
    const check = async () => checkAnswer(name, await ask(server.child, messageOf(isNew, request, 'check')), tools);
    await check();
    return { name, server, check, lineFor: (index) => `${JSON.stringify(messageOf(isNew, request, index))}\n` };
  });
}

async function orStopped(server, use) {
  try {
    return await within(PATIENCE_MS, use(server));
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Calls for so long, or so often, over so many connections. */
export function measureHttp({ server, check, bytesFor }, length, connections = 32) {
  return measure(server, check, length, () => loadHttp({ ...length, port: server.port, connections, bytesFor }));
}

/** The same over connections that were opened before (`openLoad`). */
export function measureOpened({ server, check }, length, opened) {
  return measure(server, check, length, () => opened.run(length));
}

/** Calls for so long, or so often, with so many unanswered at a time. */
export function measureStdio({ server, check, lineFor }, length, window) {
  return measure(server, check, length, () => loadStdio(server.child, { ...length, window, lineFor }));
}

/**
 * How long a round is. The one for warming up ends when the server has answered often enough to be compiled, however fast the
 * machine: otherwise a server that has done more before would seem the faster one. Slow ones get more time, but not all.
 */
export function lengthOf(round, seconds) {
  return round > 0 ? { milliseconds: seconds * 1000 } : { count: 20_000, milliseconds: seconds * 8000 };
}

/** Figures of one round; CPU is in microseconds per request, latencies are in milliseconds. */
async function measure(server, check, { milliseconds }, run) {
  const before = await server.usage();
  const { answered, seconds, latencies, driverMicroseconds } = await within(milliseconds + PATIENCE_MS, run());
  const after = await server.usage();
  await within(PATIENCE_MS, check());
  return {
    perSecond: answered / seconds,
    cpu: (after.cpuMicroseconds - before.cpuMicroseconds) / answered,
    p50: latencies.quantile(0.5),
    p99: latencies.quantile(0.99),
    driver: driverMicroseconds / answered,
  };
}

/** The message with the answer, in a body of JSON or in an event stream. */
function messageIn(body) {
  if (body.startsWith('{')) return JSON.parse(body);
  const data = body.split(/\r?\n/).filter((line) => line.startsWith('data:') && line.includes('{'));
  return data.map((line) => JSON.parse(line.slice(5))).find(({ id }) => id !== undefined);
}

function checkAnswer(name, message, tools) {
  const { content, isError, tools: listed } = message?.result ?? {};
  const isRight = listed ? listed.length === tools : !isError && /5/.test(content?.[0]?.text);
  if (!isRight) throw new Error(`${name} answered ${JSON.stringify(message)?.slice(0, 500)}`);
}
