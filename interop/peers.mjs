/** The servers to talk to: how each is started, which revision comes of it, and what it does not offer. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMMON, EVERYTHING } from './sets.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const { dependencies } = JSON.parse(readFileSync(path('package.json'), 'utf8'));

/** A library by its name and version. */
export const called = (library) => `${library.replace('@modelcontextprotocol/', '')} ${dependencies[library]}`;

const v1 = called('@modelcontextprotocol/sdk');
const v2 = called('@modelcontextprotocol/server');
const tmcp = called('tmcp');
const everything = called('@modelcontextprotocol/server-everything');
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const ASKS = ['elicit', 'sample', 'roots'];
const CHANGES = ['changed', 'updated'];

const common = (server, ...args) => ({ args: [path(`servers/${server}.mjs`), ...args], set: COMMON, lacks: [] });
const http = (server, ...args) => ({ ...common(`${server}-http`, ...args), path: '/mcp' });
const reference = (...args) => ({
  args: [path('node_modules/@modelcontextprotocol/server-everything/dist/index.js'), ...args],
  set: EVERYTHING,
});
/** Structured output and elicitation came later. */
const without = (revision) => (revision < '2025-06-18' ? ['output', 'elicit'] : []);

/**
 * Over stdio. `lacks` names the columns in which `-` is right. Anywhere else `-` is a failure, and so is anything but `-`
 * here: the table stays true.
 */
export const STDIO_PEERS = [
  ...REVISIONS.map((revision) => ({
    ...common('mcpp-stdio', revision),
    name: 'mcpp',
    revision,
    lacks: without(revision),
  })),
  { ...common('sdk-v1-stdio'), name: v1, revision: '2025-11-25' },
  { ...common('sdk-v2-stdio'), name: v2, revision: '2026-07-28' },
  { ...common('sdk-v2-stdio', 'legacy'), name: `${v2}, wired by hand`, revision: '2025-11-25' },
  // Its long operation does not look at its signal.
  { ...reference('stdio'), name: everything, revision: '2025-11-25', lacks: ['cancel'] },
  { ...common('tmcp-stdio'), name: tmcp, revision: '2026-07-28', lacks: ['roots', 'cancel'] },
  {
    ...common('tmcp-stdio'),
    name: `${tmcp}, asked for a session`,
    options: { revision: 'legacy' },
    revision: '2025-06-18',
    lacks: ['cancel'],
  },
];

/** Over HTTP. Nothing is resumed from 2026-07-28 on, nor with HTTP+SSE. */
export const HTTP_PEERS = [
  ...REVISIONS.map((revision) => ({
    ...http('mcpp', revision),
    name: 'mcpp',
    revision,
    lacks: [...without(revision), ...(revision === '2026-07-28' ? ['resume'] : [])],
  })),
  { ...http('sdk-v1', 'sessions'), name: v1, revision: '2025-11-25' },
  // Its answers have no room for progress, and cannot be asked for again.
  { ...http('sdk-v1', 'json'), name: `${v1}, JSON`, revision: '2025-11-25', lacks: ['progress', 'resume'] },
  {
    ...http('sdk-v1', 'stateless'),
    name: `${v1}, no sessions`,
    revision: '2025-11-25',
    lacks: [...ASKS, ...CHANGES, 'cancel', 'resume'],
  },
  { ...http('sdk-v1', 'sse'), path: '/sse', name: `${v1}, HTTP+SSE`, revision: '2025-11-25', lacks: ['resume'] },
  { ...http('sdk-v2'), name: v2, revision: '2026-07-28', lacks: ['resume'] },
  {
    ...http('sdk-v2'),
    name: `${v2}, no sessions`,
    options: { revision: 'legacy' },
    revision: '2025-11-25',
    lacks: [...ASKS, ...CHANGES, 'cancel', 'resume'],
  },
  { ...http('sdk-v2', 'legacy'), name: `${v2}, wired by hand`, revision: '2025-11-25' },
  {
    ...reference('streamableHttp'),
    path: '/mcp',
    name: everything,
    revision: '2025-11-25',
    lacks: ['cancel'],
    // It replays the events that only had an id, with an object that is no message.
    noise: /"jsonrpc" is missing/,
  },
  {
    ...reference('sse'),
    // It would be called again: the tool says that this does no harm.
    set: { ...EVERYTHING, resume: undefined },
    path: '/sse',
    name: `${everything}, HTTP+SSE`,
    revision: '2025-11-25',
    lacks: ['cancel', 'resume'],
  },
  { ...http('tmcp'), name: tmcp, revision: '2026-07-28', lacks: ['roots', 'resume'] },
  {
    ...http('tmcp'),
    name: `${tmcp}, asked for a session`,
    options: { revision: 'legacy' },
    revision: '2025-06-18',
    lacks: ['resume'],
  },
  {
    ...http('mcp-lite'),
    name: called('mcp-lite'),
    revision: '2025-06-18',
    // It would take the older one of its two revisions if it were asked for one it does not know.
    options: { revision: '2025-06-18' },
    set: { ...COMMON, completions: undefined },
    lacks: ['complete', 'roots', 'cancel', ...CHANGES, 'resume'],
  },
  { ...http('fastmcp'), name: called('fastmcp'), revision: '2025-11-25', lacks: ['roots', 'changed'] },
];
