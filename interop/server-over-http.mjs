/** This package's server over HTTP, and clients of other libraries: all of them at the same time, at one endpoint. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { CHECKS, said } from './checks.mjs';
import { connectV1 } from './clients/sdk-v1.mjs';
import { connectV2 } from './clients/sdk-v2.mjs';
import { called } from './peers.mjs';
import { startServer } from './program.mjs';
import { inTime, Row } from './row.mjs';
import { ANSWERS, COMMON } from './sets.mjs';
import { layWire } from './wire.mjs';

export const title = 'The server over HTTP and clients, all at the same time';

const v1 = called('@modelcontextprotocol/sdk');
const v2 = called('@modelcontextprotocol/client');
const pinned = { pin: '2026-07-28' };

/**
 * The clients: how each connects, which revision comes of it, and what it cannot do. Over HTTP+SSE, and from 2026-07-28
 * on, the official clients wait in vain for what was lost; and ping is gone.
 */
const VISITORS = [
  { name: v1, revision: '2025-11-25', connect: connectV1, options: {}, lacks: [] },
  {
    name: `${v1}, HTTP+SSE`,
    revision: '2025-11-25',
    connect: connectV1,
    options: { sse: true },
    lacks: ['resume'],
  },
  ...['auto', pinned].map((mode) => ({
    name: `${v2}, ${mode === pinned ? 'pinned' : mode}`,
    revision: '2026-07-28',
    connect: connectV2,
    options: { mode },
    lacks: ['resume', 'ping'],
  })),
  { name: `${v2}, legacy`, revision: '2025-11-25', connect: connectV2, options: { mode: 'legacy' }, lacks: [] },
  {
    name: `${v2}, HTTP+SSE`,
    revision: '2025-11-25',
    connect: connectV2,
    options: { mode: 'legacy', sse: true },
    lacks: ['resume'],
  },
];

let last = Promise.resolve();

/** What is added to the server is seen by all, so it is added by one after the other. */
function oneByOne(check) {
  return (about) => {
    const mine = last.then(() => check(about));
    last = mine.catch(() => {});
    return mine;
  };
}

/** Listens to progress. */
function progress() {
  const seen = [];
  let begin;
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  const onProgress = ({ progress }) => {
    seen.push(progress);
    begin();
  };
  return { seen, begun, onProgress };
}

/** Two clients of a kind: neither gets what is the other's, though their requests and tokens have the same ids. */
async function apart({ mcp, visit, url, uri }) {
  const bob = { ...ANSWERS, onElicit: () => ({ action: 'accept', content: { name: 'Bob' } }) };
  const other = await visit(url, bob);
  try {
    assert.deepEqual(await Promise.all([said(mcp, 'ask'), said(other, 'ask')]), ['Hello Ada', 'Hello Bob']);

    const [mine, theirs] = [{ key: randomUUID() }, { key: randomUUID() }];
    const [here, there] = [progress(), progress()];
    const giveUp = new AbortController();
    const going = said(mcp, 'wait', mine, here);
    const givenUp = assert.rejects(said(other, 'wait', theirs, { ...there, signal: giveUp.signal }));
    await Promise.all([here.begun, there.begun]);
    giveUp.abort();
    await givenUp;
    assert.equal(await said(other, 'waited', theirs), 'cancelled');
    await said(other, 'release', mine);
    assert.equal(await going, 'Released');
    assert.deepEqual([here.seen[0], there.seen], [1, [1]]);

    const strange = [];
    await mcp.watch(undefined, (event) => strange.push(event));
    let tell;
    const told = new Promise((resolve) => {
      tell = resolve;
    });
    const stop = await other.watch(`${uri}0`, tell);
    await said(mcp, 'touch', { uri: `${uri}0` });
    assert.equal((await told).uri, `${uri}0`);
    await stop();
    await mcp.listPrompts();
    assert.deepEqual(strange, []);
  } finally {
    await other.close();
  }
}

/** A client that goes takes its calls with it, and its session. */
async function close({ mcp, elsewhere, url }) {
  const args = { key: randomUUID() };
  const { sessionId, revision } = mcp;
  const lost = assert.rejects(said(mcp, 'wait', args));
  await said(mcp, 'waiting', args);
  await mcp.close();
  await lost;
  assert.equal(await elsewhere((other) => said(other, 'waited', args)), 'cancelled');
  if (sessionId === undefined) return;
  const { status } = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': sessionId,
      'mcp-protocol-version': revision,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  assert.equal(status, 404);
}

const VISITS = new Map(CHECKS)
  .set('changed', oneByOne(CHECKS.get('changed')))
  .set('apart', apart)
  .set('close', close);
const order = [...VISITS.keys()].filter((column) => column !== 'close');
export const columns = [...order, 'close'];

/** One row for each client. */
export async function rows(isWanted) {
  const visitors = VISITORS.filter(isWanted);
  if (visitors.length === 0) return [];
  const server = await startServer([fileURLToPath(new URL('./servers/mcpp-http.mjs', import.meta.url))]);
  try {
    const rows = await Promise.all(visitors.map((visitor) => receive(visitor, server)));
    if (server.said !== '') rows[0].fail('stderr', `the server wrote:\n${server.said}`);
    return rows;
  } finally {
    await server.stop();
  }
}

async function receive(visitor, server) {
  const row = new Row(visitor);
  const visit = (url, answers) => visitor.connect(url, answers, visitor.options);
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const wire = await layWire(server.port);
  let mcp;
  try {
    mcp = await inTime(() => visit(`http://127.0.0.1:${wire.port}/mcp`, ANSWERS));
    row.agree(mcp.revision);
    const { tools } = await inTime(() => mcp.listTools());
    const id = VISITORS.indexOf(visitor);
    const about = {
      mcp,
      set: setOf(id, visitor),
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      cut: wire.cut,
      elsewhere: (use) => elsewhere(visit, url, use),
      hasResumed: () => server.requests.some(({ resumes, session }) => resumes && session === mcp.sessionId),
      isAborted: (error) => error instanceof Error,
      isLost: () => false,
      visit,
      url,
      uri: `test://items/${id}`,
    };
    await row.check(new Map(columns.map((column) => [column, VISITS.get(column)])), about);
  } catch (error) {
    row.fail('connect', error);
  } finally {
    await mcp?.close().catch(() => {});
    await wire.remove();
  }
  return row;
}

async function elsewhere(visit, url, use) {
  const other = await visit(url, ANSWERS);
  try {
    return await use(other);
  } finally {
    await other.close();
  }
}

/** The common set, with what one client changes told apart from what others do. */
function setOf(id, { options, lacks }) {
  const [name, uri] = [`grown${id}`, `test://items/${id}`];
  return {
    ...COMMON,
    changed: { ...COMMON.changed, args: { name }, adds: name },
    updated: { ...COMMON.updated, args: { uri }, uri },
    resume: lacks.includes('resume') ? undefined : COMMON.resume,
    // Over HTTP+SSE these clients drop progress that they read together with the result, as they do here: all are one process.
    progress: options.sse ? { tool: 'wait', letGo: 'release', steps: [1] } : COMMON.progress,
  };
}
