// `npm run bench -- compare <commit>`: CPU per call of the working tree's server beside that of a commit's, as a ratio with a
// 95 % interval. It shows, and does not judge.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CANDIDATES } from '../candidates.mjs';
import { asText } from '../report.mjs';
import { resolveCommit, withBuilds } from './builds.mjs';
import { FEWEST } from './interval.mjs';
import { modesNamed } from './modes.mjs';
import { comparePaired } from './paired.mjs';

/** `share` is how much of the warm-up is done. */
const LENGTHS = {
  full: { rounds: 30, slices: 64, share: 1 },
  quick: { rounds: FEWEST, slices: 8, share: 0.6 },
};
const COLUMNS = ['old CPU µs', 'new CPU µs', 'new/old', '95 % from', 'to'];

/** Compares the working tree with the commit that the arguments name, and prints a table. */
export async function compare(root, args, log) {
  const { commit, modes, length } = settings(args);
  const hash = resolveCommit(root, commit);
  const rows = await withBuilds(root, hash, log, async (folders) => {
    const mcpp = CANDIDATES.find(({ name }) => name === 'mcpp');
    const candidates = ['old', 'new'].map((name) => ({ ...mcpp, name, file: join(folders[name], 'bench', mcpp.file) }));
    const found = [];
    for (const mode of modes) {
      log(`${mode.title}: ${length.rounds} rounds`);
      const row = rowOf(mode, await comparePaired(mode, candidates, length));
      log(COLUMNS.map((column) => `${column} ${row.figures[column]}`).join(', '));
      found.push(row);
    }
    return found;
  });
  console.log(asText({ title: `CPU per call: the working tree (new) beside ${hash} (old)`, columns: COLUMNS, rows }));
}

function settings(args) {
  const { values, positionals } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      only: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (positionals.length !== 1) throw new Error('compare needs one commit: npm run bench -- compare <commit>');
  const length = values.quick ? LENGTHS.quick : LENGTHS.full;
  const rounds = Number(values.rounds ?? length.rounds);
  if (!Number.isInteger(rounds) || rounds < FEWEST) {
    throw new Error(`--rounds must be a whole number of at least ${FEWEST}: fewer have no 95 % interval`);
  }
  const modes = modesNamed(values.only.split(',').filter(Boolean));
  return { commit: positionals[0], modes, length: { ...length, rounds } };
}

function rowOf({ title }, { old, new: now, ratio }) {
  const [median, low, high] = [ratio.median, ratio.low, ratio.high].map((value) => value.toFixed(3));
  const figures = [old.toFixed(2), now.toFixed(2), median, low, high];
  return { name: title, figures: Object.fromEntries(COLUMNS.map((column, index) => [column, figures[index]])) };
}
