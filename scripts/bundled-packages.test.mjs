import { expect, test } from 'vitest';
import { disagreements } from './bundled-packages.mjs';

const installed = (name) => ({ version: name === 'ws' ? '8.22.2' : '1.0.0', licence: 'MIT', text: `(c) ${name}` });
const component = (name, fields) => ({
  name,
  version: installed(name).version,
  licenses: [{ license: { id: 'MIT' } }],
  scope: 'required',
  ...fields,
});
const inFiles = (...locations) => ({ evidence: { occurrences: locations.map((location) => ({ location })) } });
const code = (...names) => names.map((name) => `// node_modules/${name}/index.js\nvar x;\n`).join('');

const right = {
  files: new Map([
    [
      'dist/a.js',
      `// Contains alpha 1.0.0 (MIT), beta 1.0.0 (MIT): see THIRD-PARTY-NOTICES.md.\n${code('beta', 'alpha')}`,
    ],
    ['dist/b.js', '// src/b.ts\nvar x;\n'],
  ]),
  notices: '# Notices\n\n## alpha 1.0.0 (MIT)\n\n(c) alpha\n\n## beta 1.0.0 (MIT)\n\n(c) beta\n',
  sbom: {
    components: [
      component('alpha', inFiles('dist/a.js')),
      component('beta', inFiles('dist/a.js')),
      component('jose'),
      component('ws', { scope: 'optional' }),
    ],
  },
  manifest: { dependencies: { jose: '^1.0.0' }, peerDependencies: { ws: '^8.0.0' } },
  installed,
};
const withFile = (path, text) => ({ ...right, files: new Map([...right.files, [path, text]]) });

test('notices, banners and SBOM that agree with the code have no disagreement', () => {
  expect(disagreements(right)).toEqual([]);
});

test('a file with bundled code and no banner is named', () => {
  const found = disagreements(withFile('dist/b.js', code('alpha')));
  expect(found).toContain('The banner of dist/b.js lacks alpha 1.0.0 (MIT)');
  expect(found).toContain('The SBOM lacks alpha 1.0.0 (MIT), required, in dist/a.js dist/b.js');
});

test('a banner with the version of another build is named', () => {
  const text = right.files.get('dist/a.js').replace('alpha 1.0.0', 'alpha 0.9.0');
  expect(disagreements(withFile('dist/a.js', text))).toEqual([
    'The banner of dist/a.js lacks alpha 1.0.0 (MIT)',
    'The banner of dist/a.js has alpha 0.9.0 (MIT), which is not in the package',
  ]);
});

test('a section of the notices with another version is named', () => {
  const notices = right.notices.replace('beta 1.0.0', 'beta 1.0.1');
  expect(disagreements({ ...right, notices })).toEqual([
    'THIRD-PARTY-NOTICES.md lacks beta 1.0.0 (MIT)',
    'THIRD-PARTY-NOTICES.md has beta 1.0.1 (MIT), which is not in the package',
  ]);
});

test('a section of the notices without the licence text of its package is named', () => {
  const notices = right.notices.replace('(c) beta', '(c) alpha');
  expect(disagreements({ ...right, notices })).toEqual([
    'THIRD-PARTY-NOTICES.md lacks the licence text of beta 1.0.0 (MIT)',
  ]);
});

test('an SBOM without a dependency, or with an optional peer that is required, is named', () => {
  const [alpha, beta] = right.sbom.components;
  const sbom = { components: [alpha, beta, component('ws')] };
  expect(disagreements({ ...right, sbom })).toEqual([
    'The SBOM lacks jose 1.0.0 (MIT), required',
    'The SBOM lacks ws 8.22.2 (MIT), optional',
    'The SBOM has ws 8.22.2 (MIT), required, which is not in the package',
  ]);
});
