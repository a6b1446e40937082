// The modes in which two builds are compared.
import { startClient } from '../clients/client-process.mjs';
import { openLoad } from '../load/http.mjs';
import { ADD, HTTP_MODES, LIST } from '../modes.mjs';
import { measureOpened, measureStdio, readyOverHttp, readyOverStdio } from '../ready.mjs';
import { startServer } from '../server-process.mjs';

const TOOLS = 3;
const LISTED_TOOLS = 500;
/** A measurement ends after this time, even if fewer calls were made than asked for. */
const LONGEST_MS = 60_000;
const REVISIONS = ['2026-07-28', '2025-11-25'];
const FLOOR_MODES = { '2026-07-28': 'modern-json', '2025-11-25': 'stateful-json' };
const yearOf = (revision) => revision.slice(0, 4);

/** A server under load; `measureCalls` makes calls and returns the figures of ready.mjs. */
const serverSubject = ({ name, server }, measureCalls) => ({
  name,
  measure: async (count) => {
    const { cpu, perSecond } = await measureCalls({ count, milliseconds: LONGEST_MS });
    return { cpu, time: 1e6 / perSecond };
  },
  collectGarbage: () => server.usage('gc'),
  stop: () => server.stop(),
});

const http = (name, mode, { tools = TOOLS, request = ADD, warmUp = 25_000, slice = 500 } = {}) => ({
  name,
  warmUp,
  slice,
  start: async (build) => {
    const ready = await readyOverHttp(build, { mode, tools, request });
    const opened = await openLoad({ port: ready.server.port, bytesFor: ready.bytesFor });
    return serverSubject(ready, (length) => measureOpened(ready, length, opened));
  },
});

const stdio = (name, revision, { inFlight, tools = TOOLS, request = ADD, warmUp, slice }) => ({
  name,
  warmUp,
  slice,
  start: async (build) => {
    const ready = await readyOverStdio(build, { isNew: revision === REVISIONS[0], tools, request });
    return serverSubject(ready, (length) => measureStdio(ready, length, inFlight));
  },
});

/** The client of a build: with the server of the same build in one process (`pair`), or with the floor server. */
const client = (name, { where, revision, inFlight, warmUp, slice }) => ({
  name,
  warmUp,
  slice,
  start: async (build) => {
    const floor = where === 'http' ? await startServer('floor/raw.mjs', { mode: FLOOR_MODES[revision] }) : undefined;
    const url = floor && `http://127.0.0.1:${floor.port}/mcp`;
    const program = await startClient(build.clientFile, { where, revision, url });
    return {
      name: build.name,
      measure: async (count) => {
        const figures = await program.measure({ count, milliseconds: LONGEST_MS, inFlight });
        return { cpu: figures['CPU µs/call'], time: 1e6 / figures['calls/s'] };
      },
      collectGarbage: async () => {},
      stop: async () => {
        await program.stop();
        await floor?.stop();
      },
    };
  },
});

/** Calls in flight over stdio. A server reads fewer than 1,024 at once, so it always has work. */
const STDIO = [
  { inFlight: 1, warmUp: 15_000, slice: 300 },
  { inFlight: 64, warmUp: 50_000, slice: 2500 },
  { inFlight: 1024, warmUp: 50_000, slice: 2500 },
];
const CLIENTS = [
  { prefix: 'pair', where: 'pair', inFlight: 1, warmUp: 50_000, slice: 1500 },
  { prefix: 'pair', where: 'pair', inFlight: 16, warmUp: 50_000, slice: 1500 },
  { prefix: 'client-stdio', where: 'stdio', inFlight: 1, warmUp: 15_000, slice: 300 },
  { prefix: 'client-stdio', where: 'stdio', inFlight: 16, warmUp: 50_000, slice: 1500 },
  { prefix: 'client-http', where: 'http', inFlight: 1, warmUp: 6000, slice: 100 },
  { prefix: 'client-http', where: 'http', inFlight: 16, warmUp: 12_000, slice: 200 },
];
const LISTS = { tools: LISTED_TOOLS, request: LIST, warmUp: 2000, slice: 64 };

/**
 * `start` starts a process of a build and checks an answer. `measure` of the result makes `count` calls and returns CPU time and
 * elapsed time per call, in microseconds. `warmUp` and `slice` are numbers of calls. A slice takes about 20 ms: short slices
 * of both builds meet the same disturbances.
 */
export const MODES = [
  ...HTTP_MODES.map((mode) => http(`http-${mode}`, mode)),
  ...REVISIONS.flatMap((revision) =>
    STDIO.map((way) => stdio(`stdio-${yearOf(revision)}-${way.inFlight}`, revision, way)),
  ),
  http('list-http', 'modern-json', LISTS),
  stdio('list-stdio', '2025-11-25', { ...LISTS, inFlight: 8 }),
  ...CLIENTS.flatMap(({ prefix, ...way }) =>
    REVISIONS.map((revision) => client(`${prefix}-${yearOf(revision)}-${way.inFlight}`, { ...way, revision })),
  ),
];

/** Returns the modes with these names. The beginning of a name, such as `http`, selects several; no name selects all. */
export function modesNamed(names) {
  const has = (mode, name) => mode.name === name || mode.name.startsWith(`${name}-`);
  const unknown = names.filter((name) => !MODES.some((mode) => has(mode, name)));
  if (unknown.length > 0) {
    const known = MODES.map(({ name }) => name).join(', ');
    throw new Error(`--only has no mode ${unknown.join(', ')}: expected ${known}, or the beginning of a name`);
  }
  return MODES.filter((mode) => names.length === 0 || names.some((name) => has(mode, name)));
}
