/** This package's client, with no options but its answers, and servers over HTTP. */

import assert from 'node:assert/strict';
import { connect } from '../dist/entries/client.js';
import { CHECKS } from './checks.mjs';
import { HTTP_PEERS } from './peers.mjs';
import { startServer } from './program.mjs';
import { fewAtATime, inTime, Row } from './row.mjs';
import { ANSWERS } from './sets.mjs';
import { layWire } from './wire.mjs';

export const title = 'The client and servers over HTTP';
export const columns = [...CHECKS.keys()];

const LOST = new Set(['closed', 'unreachable', 'session-lost']);

/** One row for each peer. */
export const rows = (isWanted) => fewAtATime(4, HTTP_PEERS.filter(isWanted), talkTo);

async function talkTo(peer) {
  const row = new Row(peer);
  let server;
  let wire;
  let mcp;
  try {
    server = await startServer(peer.args);
    wire = await layWire(server.port);
    const onError = (error) => {
      if (!peer.noise?.test(error.message)) row.fail('onError', error);
    };
    const options = { ...ANSWERS, ...peer.options, onError };
    mcp = await inTime(() => connect(urlOf(wire, peer), options));
    row.agree(mcp.revision);
    const { tools } = await inTime(() => mcp.listTools());
    await row.check(CHECKS, {
      mcp,
      set: peer.set,
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      cut: wire.cut,
      elsewhere: (use) => elsewhere(urlOf(server, peer), peer, use),
      hasResumed: () => server.requests.some(({ resumes }) => resumes),
      isAborted: ({ code }) => code === 'aborted',
      isLost: ({ code }) => LOST.has(code),
      isGone: () => isGone(server),
    });
  } catch (error) {
    row.fail('connect', error);
  } finally {
    await mcp?.close().catch(() => {});
    await wire?.remove();
    await server?.stop();
  }
  if (row.faults.length > 0 && server?.said) row.faults.push(`the server wrote:\n${server.said}`);
  return row;
}

const urlOf = ({ port }, { path }) => `http://127.0.0.1:${port}${path}`;

/** Does something over a connection of its own. */
async function elsewhere(url, peer, use) {
  const other = await connect(url, { ...peer.options });
  try {
    return await use(other);
  } finally {
    await other.close();
  }
}

/** Nobody is connected to the server any more, and the session was ended. */
async function isGone(server) {
  await server.idle();
  const sessions = new Set(server.requests.flatMap(({ session }) => session ?? []));
  for (const session of sessions) {
    const ended = server.requests.some((request) => request.method === 'DELETE' && request.session === session);
    assert.ok(ended, 'the session was not ended with DELETE');
  }
}
