// The software bill of materials of the package (CycloneDX 1.6): npm packages that the build bundles, dependencies, and
// optional peers. Equal input gives equal bytes: no timestamp, no serial number, sorted by name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE_FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

/** Returns the folder of the npm package that a module is from, or undefined for a module of our own. */
export function packageFolderOf(moduleId) {
  return PACKAGE_FOLDER.exec(moduleId)?.[0];
}

/** Reads name, version, licence and dependencies of an installed package, and the hash of its tarball from the lock file. */
export function installedPackage(folder, lock) {
  const { name, version, license, dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const locked = lock.packages[`node_modules/${name}`];
  const integrity = locked?.version === version ? locked.integrity : undefined;
  return { name, version, licence: license, integrity, needs: Object.keys(dependencies) };
}

/**
 * Returns the SBOM as text. Each component is what `installedPackage` returns, with `isOptional` for optional peers and with
 * `files`, the files of the package that contain it, for bundled ones.
 */
export function sbomOf(manifest, components) {
  const sorted = [...components].sort((a, b) => (a.name < b.name ? -1 : 1));
  const refs = new Map(sorted.map((component) => [component.name, purlOf(component)]));
  const refsOf = (names) => names.map((name) => refs.get(name)).filter((ref) => ref !== undefined);
  const { name, version, license, description, dependencies, devDependencies, peerDependencies } = manifest;
  const direct = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }).sort();
  const own = identity({ name, version, licence: license });
  const sbom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: { ...own, description } },
    components: sorted.map(componentOf),
    dependencies: [
      { ref: own['bom-ref'], dependsOn: refsOf(direct) },
      ...sorted.map((component) => ({ ref: purlOf(component), dependsOn: refsOf([...component.needs].sort()) })),
    ],
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

function componentOf(component) {
  const { integrity, files, isOptional = false } = component;
  return {
    ...identity(component),
    scope: isOptional ? 'optional' : 'required',
    ...(integrity ? { hashes: [hashOf(integrity)] } : {}),
    ...(files
      ? {
          evidence: { occurrences: [...files].sort().map((location) => ({ location })) },
          properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
        }
      : {}),
  };
}

function identity(component) {
  const { name, version, licence } = component;
  const purl = purlOf(component);
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ license: { id: licence } }] };
}

const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** Converts the integrity field of a lock file, which is in base64, into the hash of a component, which is in hex. */
function hashOf(integrity) {
  const [algorithm, digest] = integrity.split('-');
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}
