import { expect, test } from 'vitest';
import { comparePaired } from './paired.mjs';

const CANDIDATES = [{ name: 'old' }, { name: 'new' }];
const LENGTH = { rounds: 6, slices: 2, share: 1 };

/** A mode whose servers cost what `cpuOf(name, round)` returns; `steps` are what was done, in order. */
function fakeMode(cpuOf) {
  const steps = [];
  let started = 0;
  const mode = {
    warmUp: 100,
    slice: 10,
    ready: async ({ name }) => {
      const round = started++ >> 1;
      steps.push(`start ${name}`);
      const server = {
        usage: async (question) => steps.push(`${question} ${name}`),
        stop: async () => steps.push(`stop ${name}`),
      };
      return { name, round, server };
    },
    measure: async ({ name, round }, count) => {
      steps.push(`${count} ${name}`);
      return { cpu: cpuOf(name, round) };
    },
  };
  return { mode, steps };
}

test('the median ratio of the rounds is found however much the rounds differ from each other', async () => {
  const { mode } = fakeMode((name, round) => (name === 'new' ? 1.02 : 1) * (10 + round * 5));
  const found = await comparePaired(mode, CANDIDATES, LENGTH);
  expect(found.old).toBeCloseTo(22.5, 10);
  expect(found.new).toBeCloseTo(22.95, 10);
  for (const value of Object.values(found.ratio)) expect(value).toBeCloseTo(1.02, 10);
});

test('a round warms up both new processes, measures in the order old, new, new, old, and stops both', async () => {
  const { mode, steps } = fakeMode(() => 1);
  await comparePaired(mode, CANDIDATES, LENGTH);
  const measured = ['10 old', '10 new', '10 new', '10 old'];
  const warmUp = ['start old', 'start new', '100 old', 'gc old', '100 new', 'gc new'];
  expect(steps.slice(0, 12)).toEqual([...warmUp, ...measured, 'stop old', 'stop new']);
});

test('the next round begins with the other build', async () => {
  const { mode, steps } = fakeMode(() => 1);
  await comparePaired(mode, CANDIDATES, LENGTH);
  expect(steps.slice(12, 14)).toEqual(['start new', 'start old']);
  expect(steps.slice(18, 22)).toEqual(['10 new', '10 old', '10 old', '10 new']);
});

test('a server that fails ends the comparison, and both are stopped', async () => {
  const { mode, steps } = fakeMode((name) => {
    if (name === 'new') throw new Error('The server ended');
    return 1;
  });
  await expect(comparePaired(mode, CANDIDATES, LENGTH)).rejects.toThrow('The server ended');
  expect(steps.slice(-2)).toEqual(['stop old', 'stop new']);
});
