/** Runs the checks, one after the other, and says how each went. */

import { inTime } from './assert.mjs';
import { CHECKS } from './checks.mjs';
import { makeServer } from './server.mjs';

const CHECK_MS = 15_000;

/** Every check with its fault, if there is one; those of `lacks` are left out. */
export async function runChecks({ url, send, isSessionless = false, lacks = [] }) {
  const outcomes = [];
  for (const [column, check] of CHECKS) {
    if (lacks.includes(column)) continue;
    try {
      await inTime(async () => check({ url, send, isSessionless, server: makeServer }), CHECK_MS, 'It did not end');
      outcomes.push([column]);
    } catch (error) {
      outcomes.push([column, String(error?.stack ?? error)]);
    }
  }
  return outcomes;
}
