/** Arguments that are wrong in many places, or under long names: the error is bounded, and so is the work for it. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from './http.ts';
import { expectCheap, startVictim, type Victim } from './victim.ts';

let victim: Victim<{ port: number }>;
beforeAll(async () => {
  victim = await startVictim('schemas');
});
afterAll(() => victim.close());

test('a key of 64 KiB above 32,000 wrong items is answered with a short error', async () => {
  const items = { ['k'.repeat(65_536)]: Array.from({ length: 32_000 }, () => 'x') };
  const answers: { status: number; text: string }[] = [];
  const cost = await victim.during(async () => {
    answers.push(await post(victim.ready.port, 'tools/call', { name: 'zod', arguments: { items } }));
  });
  expectCheap(cost);
  expect(answers[0]?.text.length).toBeLessThan(8192);
});
