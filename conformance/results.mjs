// Reads what the suite left behind, and judges it more strictly than the suite does: a warning is a fault, and so are
// results that are missing, checks that were not made and clients that end in any other way than well.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TIME = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** The folder of each scenario's results. */
function foldersIn(folder, leg) {
  const prefix = leg === 'server' ? 'server-' : '';
  const folders = new Map();
  for (const entry of readdirSync(folder, { recursive: true })) {
    const name = entry.replaceAll('\\', '/');
    if (TIME.test(name)) folders.set(name.slice(prefix.length).replace(TIME, ''), join(folder, entry));
  }
  return folders;
}

/** The score of a set, and everything that is wrong. */
export function judge({ leg, checks: expected }, folder, outcomes) {
  const folders = foldersIn(folder, leg);
  const score = { scenarios: 0, of: expected.size, passed: 0, checks: 0 };
  const faults = [];
  for (const [scenario, wanted] of expected) {
    const found = [];
    const result = folders.get(scenario);
    const checks = readChecks(result);
    const passed = checks?.filter(({ status }) => status === 'SUCCESS').length ?? 0;
    const bad = checks?.filter(({ status }) => status === 'FAILURE' || status === 'WARNING') ?? [];
    if (!checks) found.push('there is no result');
    else if (passed + bad.length < wanted) found.push(`${passed + bad.length} checks were made, not ${wanted}`);
    for (const { status, name, errorMessage = '' } of bad) found.push(`${status} ${name}: ${errorMessage}`);
    const outcome = outcomes?.get(scenario);
    if (outcomes && outcome !== '0') found.push(`the client ended with ${outcome ?? 'nothing'}`);
    if (found.length === 0) score.scenarios++;
    else faults.push({ scenario, found, output: readOutput(result) });
    score.passed += passed;
    score.checks += Math.max(passed + bad.length, wanted);
  }
  const unknown = [...folders.keys()].filter((scenario) => !expected.has(scenario));
  for (const scenario of unknown) faults.push({ scenario, found: ['nothing is known of it'], output: '' });
  return { score, faults };
}

function readChecks(folder) {
  const file = folder && join(folder, 'checks.json');
  return file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function readOutput(folder) {
  const files = ['stdout.txt', 'stderr.txt'].map((name) => folder && join(folder, name));
  return files.map((file) => (file && existsSync(file) ? readFileSync(file, 'utf8') : '')).join('');
}
