/** Tools that run as tasks: this package's server and the official helpers for clients. */

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createApplicationInputHandler } from '@modelcontextprotocol/ext-tasks/client';
import { connectTasks } from './clients/ext-tasks.mjs';
import { called } from './peers.mjs';
import { startServer } from './program.mjs';
import { inTime, Row } from './row.mjs';
import { ANSWERS } from './sets.mjs';
import { TASK_CHECKS } from './task-checks.mjs';

export const title = 'Tools that run as tasks';
export const columns = [...TASK_CHECKS.keys()];

const WAYS = { http: overHttp, stdio: overStdio };

/** Two rows for each way. In 2025-11-25 servers need not tell of tasks, and this one does not. */
export async function rows(isWanted) {
  const visitors = Object.keys(WAYS).flatMap((way) => {
    const visitor = { name: `${called('@modelcontextprotocol/ext-tasks')}, ${way}`, way };
    return [
      { ...visitor, revision: '2025-11-25', mode: 'legacy', lacks: ['notified'] },
      { ...visitor, revision: '2026-07-28', mode: 'auto', lacks: [] },
    ];
  });
  return Promise.all(visitors.filter(isWanted).map((visitor) => WAYS[visitor.way](visitor)));
}

const program = (way) => fileURLToPath(new URL(`./servers/mcpp-tasks-${way}.mjs`, import.meta.url));

async function overHttp(visitor) {
  const row = new Row(visitor);
  const server = await startServer([program('http')]);
  const url = new URL(`http://127.0.0.1:${server.port}/mcp`);
  const connect = () => connectTasks(new StreamableHTTPClientTransport(url), visitor.mode);
  try {
    await visit(row, connect, { isGone: (sessionId) => sessionId && assertGone(url, sessionId) });
    if (server.said !== '') row.fail('stderr', `the server wrote:\n${server.said}`);
  } finally {
    await server.stop();
  }
  return row;
}

/** The session is not there any more. */
async function assertGone(url, sessionId) {
  const { status } = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': sessionId,
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  assert.equal(status, 404);
}

async function overStdio(visitor) {
  const row = new Row(visitor);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program('stdio')],
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  let pid;
  const connect = async () => {
    const peer = await connectTasks(transport, visitor.mode);
    pid = transport.pid;
    return peer;
  };
  const isGone = () => assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  try {
    await visit(row, connect, { isGone, isAlone: true });
    if (stderr !== '') row.fail('stderr', `the server wrote:\n${stderr}`);
  } finally {
    await transport.close();
  }
  return row;
}

async function visit(row, connect, more) {
  const inputs = [];
  const noting = (answer) => (request, context) => {
    inputs.push({ kind: request.kind, ...context });
    return answer(request);
  };
  const onInputRequest = createApplicationInputHandler({
    elicitation: noting(ANSWERS.onElicit),
    sampling: noting(ANSWERS.onSample),
    roots: noting(() => ({ roots: ANSWERS.roots })),
  });
  const onError = (error) => row.fail('onError', error);
  const open = (peer) => peer.openSession({ onInputRequest, onError });

  let peer;
  try {
    peer = await inTime(connect);
    row.agree(peer.revision);
    const about = { peer, session: open(peer), inputs, ...more };
    // A server on stdio has one client: there it is only the session that is another one.
    about.again = async (use) => {
      if (more.isAlone) await about.session.close();
      const other = more.isAlone ? peer : await connect();
      const session = open(other);
      try {
        await use({ ...about, peer: other, session });
      } finally {
        await session.close();
        if (more.isAlone) about.session = open(peer);
        else await other.close();
      }
    };
    await row.check(TASK_CHECKS, about);
  } catch (error) {
    row.fail('connect', error);
  } finally {
    await peer?.close().catch(() => {});
  }
}
