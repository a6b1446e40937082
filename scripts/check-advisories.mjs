// Checks the components of the package's SBOM against security advisories: those that the registry knows, if it can be asked,
// and those of the dated list in advisories.json. Fails if one is affected; a registry that cannot be asked is no failure.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ageWarning, auditResult, listFindings } from './advisories.mjs';

const PATIENCE_MS = 30_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Has npm ask the registry about a project that depends on exactly these versions, bundled ones included. */
function askRegistry(components) {
  const folder = mkdtempSync(join(tmpdir(), 'mcpp-advisories-'));
  try {
    const dependencies = Object.fromEntries(components.map(({ name, version }) => [name, version]));
    const project = { name: 'components', version: '0.0.0', dependencies };
    const installed = components.map(({ name, version }) => [`node_modules/${name}`, { version }]);
    const lock = { ...project, lockfileVersion: 3, packages: { '': project, ...Object.fromEntries(installed) } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const { stdout } = spawnSync('npm', ['audit', '--json', '--package-lock-only', '--fetch-retries=0'], {
      cwd: folder,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
      shell: process.platform === 'win32',
    });
    return auditResult(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lowest versions that users may have: `^8.21.1` allows 8.21.1. */
function lowestAllowed({ dependencies, peerDependencies }) {
  const ranges = Object.entries({ ...dependencies, ...peerDependencies });
  return ranges.map(([name, range]) => ({ name, version: range.replace(/^[\^~]/, '') }));
}

execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-changed'], { stdio: 'inherit' });
const list = read('scripts/advisories.json');
const components = read('dist/sbom.cdx.json').components;
const lowest = lowestAllowed(read('package.json'));

const { findings: known = [], unavailable } = askRegistry(components);
const findings = [...new Set([...known, ...listFindings(list, [...components, ...lowest])])];
const counted = `${components.length} components, and the lowest versions of ${lowest.length} dependencies`;
console.log(
  unavailable
    ? `The registry could not be asked (${unavailable}): only the list of ${list.checked} counts`
    : `The registry was asked about ${components.length} components`,
);
const warning = ageWarning(list, Date.now());
if (warning) console.log(`WARNING  ${warning}`);
for (const finding of findings) console.log(`FAILED   ${finding}`);
if (findings.length > 0) process.exitCode = 1;
else console.log(`ok       no known advisory against ${counted}`);
