/** A megabyte of anything that a client sends costs its server little. */

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { framesOf, LONG, linesOf, REPEATED } from './floods.mjs';
import { expectCheap, startVictim, type Victim } from './victim.ts';

let victim: Victim<{ port: number; url: string }>;
beforeAll(async () => {
  victim = await startVictim('input-server');
});
afterAll(() => victim.close());

const NAMES = [...Object.keys(REPEATED), ...Object.keys(LONG)];
/** A thousand of these in a row end the connection. */
const UNREADABLE = new Set(NAMES.slice(0, NAMES.indexOf('a blank line')));
UNREADABLE.add('an unreadable response nobody waits for');
/** Blank lines are skipped; a blank WebSocket message is none. */
const BLANK = new Set(['a blank line', 'white space']);
const LAST = '{"jsonrpc":"2.0","id":"last","method":"ping"}';

/** Sends the bytes and a last request; resolves when that is answered or the connection has ended. */
async function overStdio(name: string): Promise<'answered' | 'ended'> {
  const socket = connect(victim.ready.port, '127.0.0.1');
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (bytes) => {
      text = (text + bytes).slice(-200);
      if (!text.includes('"last"')) return;
      socket.destroy();
      resolve('answered');
    });
    socket.on('error', () => {}).on('close', () => resolve('ended'));
    socket.write(`${linesOf(name)}${LAST}\n`);
  });
}

async function overWebSocket(name: string): Promise<string> {
  const socket = new WebSocket(victim.ready.url, 'mcp');
  await new Promise((resolve) => socket.once('open', resolve));
  return new Promise((resolve) => {
    socket.on('message', (text) => {
      if (!String(text).includes('"last"')) return;
      socket.terminate();
      resolve('answered');
    });
    socket.on('error', () => {}).on('close', (code) => resolve(`ended ${code}`));
    (socket as unknown as { _socket: { write(bytes: Uint8Array): void } })._socket.write(framesOf(name, true));
    socket.send(LAST);
  });
}

describe.each([
  ['stdio', overStdio],
  ['websocket', overWebSocket],
] as const)('over %s', (kind, send) => {
  test.each(NAMES)('%s', async (name) => {
    const outcomes: string[] = [];
    await victim.run('errors');
    const cost = await victim.during(async () => outcomes.push(await send(name)));
    const errors = (await victim.run('errors')) as string[];
    expectCheap(cost);
    const isNoise = UNREADABLE.has(name) || (kind === 'websocket' && BLANK.has(name));
    expect(outcomes).toEqual([isNoise ? (kind === 'stdio' ? 'ended' : 'ended 1008') : 'answered']);
    expect(errors.length).toBeLessThanOrEqual(name === 'an error without an id' ? 10 : 1);
  });
});
