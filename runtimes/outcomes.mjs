/** How things went: the cells of a row, and what was wrong. */

import { inTime } from './smoke/assert.mjs';

const ATTEMPT_MS = 60_000;

/** What a row cannot have, and why. */
export const LACKS = new Map([
  ['in process', 'has nothing to do with where the client is'],
  ['cancel', 'workerd does not notice that a client over the network hung up: cloudflare/workerd, issue 4185'],
]);

/** Does something; gives the column, and the fault if there is one. */
export async function attempt(column, action) {
  try {
    await inTime(action, ATTEMPT_MS, 'It did not end');
    return [column];
  } catch (error) {
    return [column, String(error?.stack ?? error)];
  }
}

/** A program says nothing that nobody asked for. */
export function quietness({ noise }) {
  return noise.length === 0 ? ['quiet'] : ['quiet', noise.slice(0, 20).join('\n')];
}

/** A row with the outcomes of its columns. */
export function rowOf(name, outcomes, lacks = []) {
  const cells = new Map([
    ...lacks.map((column) => [column, '-']),
    ...outcomes.map(([column, fault]) => [column, fault === undefined ? 'ok' : 'FAILED']),
  ]);
  const faults = outcomes.flatMap(([column, fault]) => (fault === undefined ? [] : [`${column}: ${fault}`]));
  return { name, cells, faults };
}

/** Prints the rows, what they lack and what was wrong. */
export function print(rows) {
  const columns = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  const widths = columns.map((column) => Math.max(column.length, 'FAILED'.length));
  const first = Math.max(...rows.map(({ name }) => name.length));
  const line = (name, cells) =>
    [name.padEnd(first), ...cells.map((cell, index) => cell.padEnd(widths[index]))].join('  ').trimEnd();
  console.log(line('', columns));
  for (const { name, cells } of rows) {
    console.log(
      line(
        name,
        columns.map((column) => cells.get(column) ?? ''),
      ),
    );
  }
  for (const [column, why] of LACKS) {
    if (rows.some(({ cells }) => cells.get(column) === '-')) console.log(`"-" in "${column}": ${why}`);
  }
  for (const { name, faults } of rows) for (const fault of faults) console.log(`\n${name}, ${fault}`);
}
