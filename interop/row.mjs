/** One row of a table: what was tried, what came of it, and what went wrong. */

import { NOT_OFFERED } from './checks.mjs';

const STEP_MS = 30_000;

/** What a step gives, or an error if it takes too long. */
export async function inTime(step, patience = STEP_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing happened within ${patience} ms`)), patience);
  });
  try {
    return await Promise.race([step(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The cells of one peer, by column. */
export class Row {
  cells = new Map();
  faults = [];
  revision = 'FAILED';

  constructor({ name, revision, lacks }) {
    this.name = name;
    this.wanted = revision;
    this.lacks = lacks;
  }

  fail(column, error) {
    this.cells.set(column, 'FAILED');
    this.faults.push(`${column}: ${error?.stack ?? error}`);
  }

  /** Notes the revision that was agreed on. */
  agree(revision) {
    this.revision = revision;
    if (revision !== this.wanted) this.fail('revision', `${revision} was agreed on, not ${this.wanted}`);
  }

  /** Goes through the columns. A cell that is not what the peer's table says is a fault. */
  async check(checks, about, patience) {
    for (const [column, check] of checks) {
      try {
        const cell = (await inTime(async () => check(about), patience)) === NOT_OFFERED ? '-' : 'ok';
        const wanted = this.lacks.includes(column) ? '-' : 'ok';
        if (cell === wanted) this.cells.set(column, cell);
        else this.fail(column, `it is "${cell}"; the table of what peers lack says "${wanted}"`);
      } catch (error) {
        this.fail(column, error);
      }
    }
  }
}

/** Does one thing after the other, a few at a time. Gives the results in the order of the things. */
export async function fewAtATime(few, things, doIt) {
  const results = [];
  const left = [...things.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await doIt(next[1]);
  };
  await Promise.all(Array.from({ length: few }, worker));
  return results;
}
