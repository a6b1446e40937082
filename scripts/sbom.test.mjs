import { expect, test } from 'vitest';
import { packageFolderOf, sbomOf } from './sbom.mjs';

const manifest = {
  name: 'mcpp',
  version: '0.1.0',
  license: 'MIT',
  dependencies: { jose: '^6.0.0' },
  devDependencies: { 'cross-spawn': '^7.0.0', vitest: '^4.0.0' },
  peerDependencies: { ws: '^8.0.0' },
};
const components = [
  { name: 'which', version: '2.0.2', licence: 'ISC', needs: ['isexe'], files: ['dist/spawn.js'] },
  {
    name: 'cross-spawn',
    version: '7.0.6',
    licence: 'MIT',
    integrity: `sha512-${Buffer.from('digest').toString('base64')}`,
    needs: ['which', 'path-key'],
    files: ['dist/spawn.js', 'dist/a.js'],
  },
  { name: 'jose', version: '6.2.17', licence: 'MIT', needs: [] },
  { name: 'ws', version: '8.22.2', licence: 'MIT', needs: [], isOptional: true },
];
const sbom = JSON.parse(sbomOf(manifest, components));
const component = (name) => sbom.components.find((one) => one.name === name);

test('the SBOM names the package itself, and its components by name', () => {
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  expect(sbom.metadata.component).toMatchObject({ purl: 'pkg:npm/mcpp@0.1.0' });
  expect(sbom.components.map(({ purl }) => purl)).toEqual([
    'pkg:npm/cross-spawn@7.0.6',
    'pkg:npm/jose@6.2.17',
    'pkg:npm/which@2.0.2',
    'pkg:npm/ws@8.22.2',
  ]);
});

test('a bundled component has the files that contain it, and the hash of its tarball in hex', () => {
  expect(component('cross-spawn')).toMatchObject({
    scope: 'required',
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from('digest').toString('hex') }],
    evidence: { occurrences: [{ location: 'dist/a.js' }, { location: 'dist/spawn.js' }] },
    properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
  });
});

test('a dependency is required, an optional peer is optional, and neither is bundled', () => {
  expect(component('jose')).toMatchObject({ scope: 'required' });
  expect(component('ws')).toMatchObject({ scope: 'optional' });
  expect(component('jose')).not.toHaveProperty('properties');
  expect(component('ws')).not.toHaveProperty('properties');
});

test('the dependency graph has only components', () => {
  expect(sbom.dependencies).toEqual([
    {
      ref: 'pkg:npm/mcpp@0.1.0',
      dependsOn: ['pkg:npm/cross-spawn@7.0.6', 'pkg:npm/jose@6.2.17', 'pkg:npm/ws@8.22.2'],
    },
    { ref: 'pkg:npm/cross-spawn@7.0.6', dependsOn: ['pkg:npm/which@2.0.2'] },
    { ref: 'pkg:npm/jose@6.2.17', dependsOn: [] },
    { ref: 'pkg:npm/which@2.0.2', dependsOn: [] },
    { ref: 'pkg:npm/ws@8.22.2', dependsOn: [] },
  ]);
});

test('the order in which components are found does not change a byte', () => {
  const reversed = [...components].reverse().map((one) => ({ ...one, files: one.files && [...one.files].reverse() }));
  expect(sbomOf(manifest, reversed)).toBe(sbomOf(manifest, components));
});

test.each([
  ['/work/node_modules/yaml/dist/index.js', '/work/node_modules/yaml'],
  ['/work/node_modules/@scope/name/index.js', '/work/node_modules/@scope/name'],
  ['/work/node_modules/a/node_modules/b/index.js', '/work/node_modules/a/node_modules/b'],
  ['C:\\work\\node_modules\\yaml\\index.js', 'C:\\work\\node_modules\\yaml'],
  ['/work/src/server/server.ts', undefined],
])('module %s is from package folder %s', (id, folder) => {
  expect(packageFolderOf(id)).toBe(folder);
});
