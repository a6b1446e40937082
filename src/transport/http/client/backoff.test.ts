import { describe, expect, test } from 'vitest';
import { Backoff } from './backoff.ts';

const short = { lived: 0, told: undefined, wasGood: true };
const failed = { lived: 0, told: undefined, wasGood: false };

describe('the pause before a stream is opened again', () => {
  test('doubles from a second to half a minute', () => {
    const backoff = new Backoff();
    const pauses = Array.from({ length: 8 }, () => backoff.after(short));
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('is never less than a second, whatever the server or the options say', () => {
    expect(new Backoff({ maxDelayMs: 1 }).after({ ...short, told: 0 })).toBe(1000);
    expect(new Backoff().after({ ...short, told: 500 })).toBe(1000);
  });

  test('is what the server asks for, if that is more', () => {
    const backoff = new Backoff();
    const paced = { ...short, told: 5000 };
    expect([backoff.after(paced), backoff.after(paced), backoff.after(paced)]).toEqual([5000, 5000, 5000]);
    expect(backoff.after({ ...short, told: 1e15 })).toBe(2 ** 31 - 1);
  });

  test('begins anew after a stream that lasted, not after one that lasted half a minute', () => {
    const backoff = new Backoff();
    const pauseAfter = (lived: number): number | undefined => backoff.after({ ...short, lived });
    const lives = [0, 30_000, 30_000, 60_000, 0];
    expect(lives.map(pauseAfter)).toEqual([1000, 2000, 4000, 1000, 2000]);
  });

  test('has no end but that of five failures in a row', () => {
    const backoff = new Backoff();
    for (let tries = 0; tries < 4; tries++) expect(backoff.after(failed)).toBeDefined();
    expect(backoff.after(short)).toBeDefined();
    for (let tries = 0; tries < 4; tries++) expect(backoff.after(failed)).toBeDefined();
    expect(backoff.after(failed)).toBeUndefined();
    expect(new Backoff({ maxTries: 1 }).after(failed)).toBeUndefined();
  });

  test('for what goes on nevertheless is the longest, or what the server asks for', () => {
    expect(new Backoff().atLongest()).toBe(30_000);
    expect(new Backoff({ maxDelayMs: 5000 }).atLongest(2000)).toBe(5000);
    expect(new Backoff().atLongest(60_000)).toBe(60_000);
    expect(new Backoff().atLongest(1e15)).toBe(2 ** 31 - 1);
  });
});
