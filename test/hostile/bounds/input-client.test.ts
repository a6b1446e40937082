/** A megabyte of anything that a server sends costs its client little, and the answer behind it arrives. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FloodingServers, floodingServers } from './flooding-servers.ts';
import { LONG, REPEATED } from './floods.mjs';
import { expectCheap, startVictim, type Victim } from './victim.ts';

let victim: Victim<object>;
let servers: FloodingServers;
beforeAll(async () => {
  servers = await floodingServers();
  victim = await startVictim('input-client');
});
afterAll(async () => {
  await victim.close();
  servers.close();
});

const NAMES = [...Object.keys(REPEATED), ...Object.keys(LONG)];

describe.each(['stdio', 'http', 'sse', 'websocket'] as const)('over %s', (kind) => {
  test.each(NAMES)('%s', async (name) => {
    await victim.run('open', { url: kind === 'stdio' ? undefined : servers[kind] });
    const answers: unknown[] = [];
    const cost = await victim.during(async () => answers.push(await victim.run('flood', name)));
    const errors = (await victim.run('errors')) as string[];
    expectCheap(cost);
    // Over HTTP an error without an id answers the request whose response it is in.
    expect(answers).toEqual([kind === 'http' && name === 'an error without an id' ? '1: ' : 'done']);
    expect(errors.length).toBeLessThanOrEqual(name === 'an error without an id' ? 10 : 1);
  });
});
