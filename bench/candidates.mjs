// The servers that are measured: in which modes each can be, and what it does besides answering. How each is configured
// is told in servers/README.md.
import { readFileSync } from 'node:fs';
import { HTTP_MODES } from './modes.mjs';

const manifest = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { dependencies } = manifest('package.json');
const EVERY_MODE = ['stdio', ...HTTP_MODES];
const BOTH = ['2026-07-28', '2025-11-25'];

/**
 * `modes` are those the server has, `revisions` what it speaks: the one of 2026, the latest of 2025. `accept` is what a
 * client has to accept for the answer to be an event stream, `acceptJson` for it to be JSON; otherwise it accepts both.
 */
export const CANDIDATES = [
  {
    name: 'floor',
    file: 'floor/raw.mjs',
    modes: EVERY_MODE,
    revisions: BOTH,
    validates: 'nothing',
  },
  {
    name: 'mcpp',
    version: manifest('../package.json').version,
    file: 'servers/mcpp.mjs',
    modes: EVERY_MODE,
    revisions: BOTH,
    // It streams where a handler sends something, or where JSON is not accepted.
    accept: 'text/event-stream',
    validates:
      'messages and parameters; arguments and structured results with their schemas; header fields against the body; Host and Origin',
  },
  {
    name: 'official v1',
    version: dependencies['@modelcontextprotocol/sdk'],
    file: 'servers/official-v1.mjs',
    modes: ['stdio', 'stateful-json', 'stateful-sse', 'stateless-json'],
    revisions: ['2025-11-25'],
    validates:
      'messages, parameters and results with schemas of the protocol; arguments and structured results with their schemas; Host',
  },
  {
    name: 'official v2',
    version: dependencies['@modelcontextprotocol/server'],
    file: 'servers/official-v2.mjs',
    modes: EVERY_MODE,
    revisions: BOTH,
    validates:
      'messages, parameters and results with schemas of the protocol; arguments and structured results with their schemas; header fields against the body (2026); Host and Origin',
  },
  {
    name: 'fastmcp',
    version: dependencies.fastmcp,
    file: 'servers/fastmcp.mjs',
    modes: ['stdio', 'stateful-json', 'stateful-sse', 'stateless-json'],
    revisions: ['2025-11-25'],
    validates:
      'messages, parameters and results with schemas of the protocol (it is built on official v1); arguments and structured results with their schemas; neither Host nor Origin',
  },
  {
    name: 'mcp-lite',
    version: dependencies['mcp-lite'],
    file: 'servers/mcp-lite.mjs',
    modes: ['stateful-json', 'stateful-sse', 'stateless-json'],
    revisions: ['2025-06-18'],
    // It streams wherever streams are accepted.
    acceptJson: 'application/json',
    validates:
      'messages, by a few checks by hand; arguments and structured results with their schemas; Host, as it recommends',
  },
  {
    name: 'tmcp',
    version: dependencies.tmcp,
    file: 'servers/tmcp.mjs',
    modes: ['stdio', 'modern-sse', 'stateful-sse'],
    revisions: ['2026-07-28', '2025-06-18'],
    validates:
      'messages and results with schemas of the protocol; arguments and structured results with their schemas; header fields against the body (2026); Origin if it is told to, not Host',
  },
];

/** What a client has to accept of this server in this mode, if it matters. */
export const acceptOf = ({ accept, acceptJson }, mode) => (mode.endsWith('sse') ? accept : acceptJson);
