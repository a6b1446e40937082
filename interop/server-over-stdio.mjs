/** This package's server over stdio, started by clients of other libraries. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECKS, mostly } from './checks.mjs';
import { connectV1 } from './clients/sdk-v1.mjs';
import { connectV2 } from './clients/sdk-v2.mjs';
import { called } from './peers.mjs';
import { fewAtATime, inTime, Row } from './row.mjs';
import { ANSWERS, COMMON } from './sets.mjs';

export const title = 'The server and clients over stdio';

const v1 = called('@modelcontextprotocol/sdk');
const v2 = called('@modelcontextprotocol/client');

/** How each connects, which revision comes of it, and what it does not offer: ping is gone from 2026-07-28 on. */
const VISITORS = [
  { name: v1, revision: '2025-11-25', connect: connectV1, options: {}, lacks: [] },
  { name: `${v2}, auto`, revision: '2026-07-28', connect: connectV2, options: { mode: 'auto' }, lacks: ['ping'] },
  { name: `${v2}, legacy`, revision: '2025-11-25', connect: connectV2, options: { mode: 'legacy' }, lacks: [] },
];

/** All but what only HTTP has. */
const VISITS = new Map([...CHECKS].filter(([column]) => column !== 'resume')).set(
  'progress',
  mostly(CHECKS.get('progress')),
);
export const columns = [...VISITS.keys()];

/** One row for each client. */
export async function rows(isWanted) {
  const scratch = mkdtempSync(join(tmpdir(), 'mcpp-interop-'));
  try {
    const visitors = VISITORS.filter(isWanted);
    // One by one: a client that is busy with something else reads late, and so more at once.
    return await fewAtATime(1, visitors, (visitor) =>
      receive(visitor, join(scratch, String(VISITORS.indexOf(visitor)))),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function receive(visitor, pidFile) {
  const row = new Row(visitor);
  const target = {
    command: process.execPath,
    args: [
      '--import',
      new URL('./pid.mjs', import.meta.url).href,
      fileURLToPath(new URL('./servers/mcpp-stdio.mjs', import.meta.url)),
    ],
    env: { MCPP_INTEROP_PID: pidFile },
  };
  let mcp;
  try {
    mcp = await inTime(() => visitor.connect(target, ANSWERS, visitor.options));
    row.agree(mcp.revision);
    const { tools } = await inTime(() => mcp.listTools());
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await row.check(VISITS, {
      mcp,
      set: COMMON,
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      isAborted: (error) => error instanceof Error,
      isGone: () =>
        assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, `process ${pid} still runs after close()`),
    });
  } catch (error) {
    row.fail('connect', error);
  } finally {
    await mcp?.close().catch(() => {});
  }
  return row;
}
