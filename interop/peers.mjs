/** The servers to talk to: how each is started, which revision comes of it, and what it does not offer. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMMON, EVERYTHING } from './sets.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const { dependencies } = JSON.parse(readFileSync(path('package.json'), 'utf8'));
const called = (library) => `${library.replace('@modelcontextprotocol/', '')} ${dependencies[library]}`;
const v1 = called('@modelcontextprotocol/sdk');
const v2 = called('@modelcontextprotocol/server');
const tmcp = called('tmcp');
const common = (server, ...args) => ({ args: [path(`servers/${server}.mjs`), ...args], set: COMMON, lacks: [] });

/**
 * `lacks` names the columns in which `-` is right. Anywhere else `-` is a failure, and so is anything but `-` here: the
 * table stays true.
 */
export const PEERS = [
  { ...common('mcpp', '2024-11-05'), name: 'mcpp', revision: '2024-11-05', lacks: ['output', 'elicit'] },
  { ...common('mcpp', '2025-03-26'), name: 'mcpp', revision: '2025-03-26', lacks: ['output', 'elicit'] },
  { ...common('mcpp', '2025-06-18'), name: 'mcpp', revision: '2025-06-18' },
  { ...common('mcpp', '2025-11-25'), name: 'mcpp', revision: '2025-11-25' },
  { ...common('mcpp', '2026-07-28'), name: 'mcpp', revision: '2026-07-28' },
  { ...common('sdk-v1'), name: v1, revision: '2025-11-25' },
  { ...common('sdk-v2'), name: v2, revision: '2026-07-28' },
  { ...common('sdk-v2', 'legacy'), name: `${v2}, wired by hand`, revision: '2025-11-25' },
  {
    name: called('@modelcontextprotocol/server-everything'),
    revision: '2025-11-25',
    args: [path('node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
    set: EVERYTHING,
    // Its long operation does not look at its signal.
    lacks: ['cancel'],
  },
  { ...common('tmcp'), name: tmcp, revision: '2026-07-28', lacks: ['roots', 'cancel'] },
  {
    ...common('tmcp'),
    name: `${tmcp}, asked for a session`,
    options: { revision: 'legacy' },
    revision: '2025-06-18',
    lacks: ['cancel'],
  },
];
