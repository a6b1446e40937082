import { expect, test } from 'vitest';
import { comparePaired } from './paired.mjs';

const BUILDS = [{ name: 'old' }, { name: 'new' }];
const LENGTH = { rounds: 6, slices: 2, share: 1 };

/** A mode whose calls cost what `costOf(name, round)` returns; `steps` are its calls, in order. */
function fakeMode(costOf) {
  const steps = [];
  let started = 0;
  const mode = {
    warmUp: 100,
    slice: 10,
    start: async ({ name }) => {
      const round = started++ >> 1;
      steps.push(`start ${name}`);
      return {
        name,
        measure: async (count) => {
          steps.push(`${count} ${name}`);
          return costOf(name, round);
        },
        collectGarbage: async () => steps.push(`gc ${name}`),
        stop: async () => steps.push(`stop ${name}`),
      };
    },
  };
  return { mode, steps };
}

const ONE = { cpu: 1, time: 1 };

test('the median ratio of the rounds is found however much the rounds differ from each other', async () => {
  const { mode } = fakeMode((name, round) => {
    const cpu = (name === 'new' ? 1.02 : 1) * (10 + round * 5);
    return { cpu, time: name === 'new' ? 3 * cpu : 4 * cpu };
  });
  const { cpu, time } = await comparePaired(mode, BUILDS, LENGTH);
  expect(cpu.old).toBeCloseTo(22.5, 10);
  expect(cpu.new).toBeCloseTo(22.95, 10);
  for (const value of Object.values(cpu.ratio)) expect(value).toBeCloseTo(1.02, 10);
  for (const value of Object.values(time.ratio)) expect(value).toBeCloseTo(0.765, 10);
});

test('a round warms up both new processes, measures in the order old, new, new, old, and stops both', async () => {
  const { mode, steps } = fakeMode(() => ONE);
  await comparePaired(mode, BUILDS, LENGTH);
  const measured = ['10 old', '10 new', '10 new', '10 old'];
  const warmUp = ['start old', 'start new', '100 old', 'gc old', '100 new', 'gc new'];
  expect(steps.slice(0, 12)).toEqual([...warmUp, ...measured, 'stop old', 'stop new']);
});

test('the next round begins with the other build', async () => {
  const { mode, steps } = fakeMode(() => ONE);
  await comparePaired(mode, BUILDS, LENGTH);
  expect(steps.slice(12, 14)).toEqual(['start new', 'start old']);
  expect(steps.slice(18, 22)).toEqual(['10 new', '10 old', '10 old', '10 new']);
});

test('a server that fails ends the comparison, and both are stopped', async () => {
  const { mode, steps } = fakeMode((name) => {
    if (name === 'new') throw new Error('The server ended');
    return ONE;
  });
  await expect(comparePaired(mode, BUILDS, LENGTH)).rejects.toThrow('The server ended');
  expect(steps.slice(-2)).toEqual(['stop old', 'stop new']);
});
