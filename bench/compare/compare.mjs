// `npm run bench -- compare <path or commit>`: cost per call of the working tree's build beside that of another build, in every
// mode, as a ratio with a 95 % interval. Fails if a mode loses more than bars.mjs allows.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CANDIDATES } from '../candidates.mjs';
import { boundOf } from '../judge.mjs';
import { asText } from '../report.mjs';
import { otherBuild, withBuilds } from './builds.mjs';
import { FEWEST } from './interval.mjs';
import { modesNamed } from './modes.mjs';
import { comparePaired } from './paired.mjs';
import { verdictOf } from './verdict.mjs';

/** `share` is the part of the warm-up that is done. */
const LENGTHS = {
  full: { rounds: 30, slices: 32, share: 1 },
  quick: { rounds: FEWEST, slices: 8, share: 0.5 },
};
const BOUNDS = { cpu: boundOf('compare', 'every mode', 'CPU'), time: boundOf('compare', 'every mode', 'time') };
const LABELS = { cpu: 'CPU', time: 'time' };

/** Compares the working tree with the build that the arguments name, prints a table, and throws if a mode loses. */
export async function compare(root, args, log) {
  const { name, modes, length, hasOwnPrograms } = settings(args);
  const other = otherBuild(root, name);
  const found = await withBuilds(root, other, { hasOwnPrograms }, log, async (folders) => {
    const builds = ['old', 'new'].map((build) => buildOf(build, folders[build]));
    const results = [];
    for (const mode of modes) {
      log(`${mode.name}: ${length.rounds} rounds`);
      const result = await comparePaired(mode, builds, length);
      results.push({ mode: mode.name, result, verdict: verdictOf(result, BOUNDS) });
      log(`CPU ${spread(result.cpu)}, time ${spread(result.time)}: ${results.at(-1).verdict}`);
    }
    return results;
  });
  console.log(asText(tableOf(found, `the working tree (new) beside ${other.dist ?? other.commit} (old)`)));
  const lost = found.filter(({ verdict }) => verdict === 'LOST').map(({ mode }) => mode);
  if (lost.length > 0) throw new Error(`the new build loses in ${lost.join(', ')}`);
}

/** The server of mcpp as a candidate of a build, and the program that is its client. */
function buildOf(name, folder) {
  const mcpp = CANDIDATES.find((candidate) => candidate.name === 'mcpp');
  const file = join(folder, 'bench', mcpp.file);
  return { ...mcpp, name, file, clientFile: join(folder, 'bench/clients/mcpp.mjs') };
}

function settings(args) {
  const { values, positionals } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      only: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      'own-programs': { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (positionals.length !== 1) {
    throw new Error('compare needs a checkout, a dist folder or a commit: npm run bench -- compare <path or commit>');
  }
  const length = values.quick ? LENGTHS.quick : LENGTHS.full;
  const rounds = Number(values.rounds ?? length.rounds);
  if (!Number.isInteger(rounds) || rounds < FEWEST) {
    throw new Error(`--rounds must be a whole number of at least ${FEWEST}: fewer have no 95 % interval`);
  }
  const modes = modesNamed(values.only.split(',').filter(Boolean));
  return { name: positionals[0], modes, length: { ...length, rounds }, hasOwnPrograms: values['own-programs'] };
}

const spread = ({ ratio }) => `${ratio.median.toFixed(3)} (${ratio.low.toFixed(3)} to ${ratio.high.toFixed(3)})`;

function tableOf(found, title) {
  const measures = Object.entries(LABELS);
  const columns = measures.flatMap(([, label]) => [`old ${label} µs`, `new ${label} µs`, `${label} new/old`]);
  const figuresOf = ({ result, verdict }) => {
    const cells = measures.flatMap(([measure]) => [
      result[measure].old.toFixed(2),
      result[measure].new.toFixed(2),
      spread(result[measure]),
    ]);
    return Object.fromEntries([...columns, 'verdict'].map((column, index) => [column, [...cells, verdict][index]]));
  };
  return {
    title: `Cost per call: ${title}`,
    note: `Ratios are medians with their 95 % interval. LOST: the whole interval is above ${BOUNDS.cpu}; unclear: a part of it; ok: nothing of it.`,
    columns: [...columns, 'verdict'],
    rows: found.map((each) => ({ name: each.mode, figures: figuresOf(each) })),
  };
}
