/** This package's client, with no options but its answers, and servers over stdio. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../dist/entries/client.js';
import { CHECKS } from './checks.mjs';
import { STDIO_PEERS } from './peers.mjs';
import { fewAtATime, inTime, Row } from './row.mjs';
import { ANSWERS } from './sets.mjs';

export const title = 'The client and servers over stdio';

/** All but what only HTTP has. */
const STDIO_CHECKS = new Map([...CHECKS].filter(([column]) => column !== 'resume'));
export const columns = [...STDIO_CHECKS.keys()];

/** One row for each peer. */
export async function rows(isWanted) {
  const scratch = mkdtempSync(join(tmpdir(), 'mcpp-interop-'));
  try {
    const peers = STDIO_PEERS.filter(isWanted);
    return await fewAtATime(3, peers, (peer) => talkTo(peer, join(scratch, String(STDIO_PEERS.indexOf(peer)))));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function talkTo(peer, pidFile) {
  const row = new Row(peer);
  const target = {
    command: process.execPath,
    args: ['--import', new URL('./pid.mjs', import.meta.url).href, ...peer.args],
    env: { MCPP_INTEROP_PID: pidFile },
  };
  let stderr = '';
  const listening = {
    onError: (error) => row.fail('onError', error),
    stderr: (text) => {
      stderr += text;
    },
  };
  let mcp;
  try {
    mcp = await inTime(() => connect(target, { ...ANSWERS, ...listening, ...peer.options }));
    row.agree(mcp.revision);
    const { tools } = await inTime(() => mcp.listTools());
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await row.check(STDIO_CHECKS, {
      mcp,
      set: peer.set,
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      isAborted: ({ code }) => code === 'aborted',
      isGone: () =>
        assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, `process ${pid} still runs after close()`),
    });
  } catch (error) {
    row.fail('connect', error);
  } finally {
    await mcp?.close().catch(() => {});
    if (row.cells.get('close') !== 'ok') stop(pidFile);
  }
  if (row.faults.length > 0 && stderr !== '') row.faults.push(`stderr:\n${stderr}`);
  return row;
}

/** Ends a peer that is still there: it must not outlive the script, whatever went wrong. */
function stop(pidFile) {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  } catch {
    // It is gone, or was never there.
  }
}
