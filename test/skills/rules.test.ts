/** What a server refuses to serve, when it is made and not when somebody reads it. */

import { SkillError, type SkillFiles, skills } from 'mcpp/extensions/skills';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../../src/extensions/skills/no-folder.ts';

const md = (name: string, more = ''): string => `---\nname: ${name}\ndescription: Does it\n${more}---\n\nDo it.\n`;

async function fault(files: Readonly<Record<string, unknown>>): Promise<string> {
  const error = await skills(files as SkillFiles).then(
    () => new Error('nothing is wrong'),
    (thrown: unknown) => thrown as Error,
  );
  if (error instanceof SkillError) expect(error.code).toBe('invalid');
  return error.message;
}

const inFiles = (path: string, text: string): string => `"${path}" in the given files: ${text}`;

describe('a SKILL.md', () => {
  test.each([
    ['without frontmatter', 'Do it.\n', 'it does not begin with frontmatter between two lines of ---'],
    ['whose frontmatter does not end', '---\nname: a\n', 'it does not begin with frontmatter between two lines of ---'],
    ['with an empty line above', `\n${md('a')}`, 'it does not begin with frontmatter between two lines of ---'],
    ['with a list', '---\n- a\n---\n', 'its frontmatter is not valid: it is not a mapping'],
    ['without a name', '---\ndescription: x\n---\n', 'its frontmatter is not valid: it has no "name", which is a text'],
    [
      'without a description',
      '---\nname: a\n---\n',
      'its frontmatter is not valid: it has no "description", which is a text',
    ],
    [
      'with nothing as its description',
      '---\nname: a\ndescription: " "\n---\n',
      'its frontmatter is not valid: it has no "description", which is a text',
    ],
    [
      'with a long description',
      `---\nname: a\ndescription: ${'x'.repeat(1025)}\n---\n`,
      'its frontmatter is not valid: "description" has more than 1024 characters',
    ],
    ['with the name of another', md('b'), '"name" is "b", but must be that of the directory'],
    [
      'with a key twice',
      md('a', 'license: x\nlicense: y\n'),
      'its frontmatter cannot be read: it has the same key twice',
    ],
    [
      'that is not YAML',
      md('a', 'x: y: z\n'),
      'its frontmatter cannot be read: line 4: Nested mappings are not allowed in compact mappings',
    ],
    [
      'with a number that JSON readers would round',
      md('a', 'metadata: { ids: [1, 12345678901234567890] }\n'),
      'its frontmatter has a number of too many digits; put it into quotes',
    ],
    [
      'with empty frontmatter, and lines of --- further down',
      '---\n---\nname: a\ndescription: x\n---\n',
      'its frontmatter cannot be read: it must be one document without directives',
    ],
    ['that is not UTF-8', Uint8Array.of(0x2d, 0xff), 'it is not text in UTF-8'],
  ])('%s', async (_, content, text) => {
    expect(await fault({ 'a/SKILL.md': content })).toBe(inFiles('a/SKILL.md', text));
  });

  test('with a description of exactly as many characters as may be, of two units each', async () => {
    const text = (length: number): string => `---\nname: a\ndescription: ${'\u{1f600}'.repeat(length)}\n---\n`;
    expect(await fault({ 'a/SKILL.md': text(1024) })).toBe('nothing is wrong');
    expect(await fault({ 'a/SKILL.md': text(1025) })).toContain('"description" has more than 1024 characters');
  });

  test.each(['A', '-a', 'a-', 'a--b', 'a_b', 'ä', 'a b', 'x'.repeat(65)])('with the name %j', async (name) => {
    const text =
      'its frontmatter is not valid: "name" must be 1 to 64 of a-z, 0-9 and single hyphens, with none at its ends';
    expect(await fault({ [`${name}/SKILL.md`]: md(name) })).toBe(inFiles(`${name}/SKILL.md`, text));
  });

  test('that is nowhere, or not in a directory', async () => {
    expect(await fault({ 'a/README.md': 'x' })).toBe('There is no directory with a SKILL.md in the given files');
    expect(await fault({ 'SKILL.md': md('a') })).toBe(
      inFiles('SKILL.md', 'a skill is a directory of its own below this one; serve the one above instead'),
    );
  });
});

describe('files', () => {
  test.each(['../x.md', './x.md', 'b/../../x.md', 'b//x.md', 'b\\x.md', 'x\0.md', '\ud800.md'])(
    'whose path is none: %j',
    async (path) => {
      expect(await fault({ 'a/SKILL.md': md('a'), [`a/${path}`]: 'x' })).toContain(
        'in the given files: this is not a path that can be served',
      );
    },
  );

  test('above the skills that lead elsewhere', async () => {
    for (const path of ['../a/SKILL.md', '/a/SKILL.md', '//a/SKILL.md', './a/SKILL.md', '\\a/SKILL.md']) {
      expect(await fault({ [path]: md('a') })).toContain('this is not a path that can be served');
    }
  });

  test('that are too many, or too large', async () => {
    const many = Array.from({ length: 512 }, (_, index) => [`a/${index}`, '']);
    expect(await fault({ 'a/SKILL.md': md('a'), ...Object.fromEntries(many.slice(1)) })).toBe('nothing is wrong');
    expect(await fault({ 'a/SKILL.md': md('a'), ...Object.fromEntries(many) })).toBe(
      inFiles('a', 'a skill has at most 512 files, this 513'),
    );
    const large = new Uint8Array(16 * 1024 * 1024);
    expect(await fault({ 'a/SKILL.md': md('a'), 'a/x': large })).toMatch(
      /^"a" in .*at most 16777216 bytes, this 16777/,
    );
  });

  test('of all skills that are too large together', async () => {
    const files = { 'a/SKILL.md': md('a'), 'b/SKILL.md': md('b') };
    const text = 'The skills of the given files have more than 80 bytes ("maxBytes")';
    await expect(skills(files, { maxBytes: 80 })).rejects.toThrow(text);
    await expect(skills(files, { maxBytes: Number.NaN })).rejects.toThrow('"maxBytes" must be a number of at least 1');
  });

  test('that are neither text nor bytes, or a directory as well', async () => {
    expect(await fault({ 'a/SKILL.md': md('a'), 'a/x': 1 })).toBe(inFiles('a/x', 'it is neither text nor bytes'));
    expect(await fault({ 'a/SKILL.md': md('a'), 'a/x': '', 'a/x/y': '' })).toBe(
      inFiles('a/x', 'it is a file and a directory at once'),
    );
  });

  test('in a folder, where there are none', async () => {
    await expect(openFolder('./skills')).rejects.toThrow(
      'There are no folders here to read skills from: pass the files',
    );
  });
});

test('what is hidden, and what is in no skill, is left out', async () => {
  const { skills: found } = await skills({
    'README.md': 'x',
    'acme/README.md': 'x',
    'acme/a/SKILL.md': md('a'),
    'acme/a/.DS_Store': 'x',
    'acme/a/.git/config': 'x',
    '.hidden/b/SKILL.md': 'x',
  });
  expect(found.map(({ resources }) => resources)).toEqual([
    [{ uri: 'skill://acme/a/SKILL.md', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), size: 45 }],
  ]);
});

test('bytes that are changed after they were given are served as they were given', async () => {
  const bytes = Uint8Array.of(1, 2, 0xff);
  const before = await skills({ 'a/SKILL.md': md('a'), 'a/x.bin': bytes });
  const files = new Map<string, () => unknown>();
  bytes.fill(0);
  before.server?.register?.({
    registerResource: () => undefined,
    registerResourceTemplate: (_, __, read) => files.set('read', () => read({}, {} as never, 'skill://a/x.bin')),
  });
  expect(files.get('read')?.()).toEqual({
    uri: 'skill://a/x.bin',
    mimeType: 'application/octet-stream',
    blob: Buffer.from([1, 2, 0xff]).toString('base64'),
  });
});
