// The ways to call a server that two builds are compared in.
import { openLoad } from '../load/http.mjs';
import { ADD } from '../modes.mjs';
import { measureOpened, measureStdio, readyOverHttp, readyOverStdio } from '../ready.mjs';

const TOOLS = 3;
/** More requests than a server reads at once, so that it always has work. */
const WINDOW = 1024;
/** Calls end after so long, even if fewer were made than asked for. */
const LONGEST_MS = 60_000;

const http = (name, title, mode) => ({
  name,
  title,
  warmUp: 25_000,
  slice: 500,
  ready: async (candidate) => {
    const ready = await readyOverHttp(candidate, { mode, tools: TOOLS, request: ADD });
    return { ...ready, opened: await openLoad({ port: ready.server.port, bytesFor: ready.bytesFor }) };
  },
  measure: (server, count) => measureOpened(server, { count, milliseconds: LONGEST_MS }, server.opened),
});

const stdio = (name, title, isNew) => ({
  name,
  title,
  warmUp: 50_000,
  slice: 2500,
  ready: (candidate) => readyOverStdio(candidate, { isNew, tools: TOOLS, request: ADD }),
  measure: (server, count) => measureStdio(server, { count, milliseconds: LONGEST_MS }, WINDOW),
});

/**
 * `ready` starts a server and checks an answer; `measure` makes so many calls and returns CPU microseconds per call, among
 * others. `warmUp` and `slice` are numbers of calls; a slice is some 15 ms of CPU, since the shorter slices are, the more alike
 * is what else the machine does meanwhile.
 */
export const MODES = [
  http('http-2026', 'HTTP, 2026-07-28, JSON', 'modern-json'),
  http('http-2025', 'HTTP, 2025-11-25 with a session, JSON', 'stateful-json'),
  http('http-sse', 'HTTP, 2026-07-28, event stream', 'modern-sse'),
  stdio('stdio-2026', 'stdio, 2026-07-28', true),
  stdio('stdio-2025', 'stdio, 2025-11-25', false),
];

/** Returns the modes with these names; `http` and `stdio` name several, and no name means all. */
export function modesNamed(names) {
  const has = (mode, name) => mode.name === name || mode.name.startsWith(`${name}-`);
  const unknown = names.filter((name) => !MODES.some((mode) => has(mode, name)));
  if (unknown.length > 0) {
    const known = ['http', 'stdio', ...MODES.map(({ name }) => name)].join(', ');
    throw new Error(`--only has no mode ${unknown.join(', ')}: expected ${known}`);
  }
  return MODES.filter((mode) => names.length === 0 || names.some((name) => has(mode, name)));
}
