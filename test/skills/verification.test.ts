/** What a client accepts of a skill: what its entry says, to the byte, and nothing else. */

import { isMcpError } from 'mcpp';
import { getSkill, openSkill, SkillError } from 'mcpp/extensions/skills';
import { describe, expect, test } from 'vitest';
import { ENTRY, FILES, FORMS_MD, LOGO, listed, playedServer, ROOT, SKILL_MD } from './played-server.ts';

const SKILL = `${ROOT}/SKILL.md`;
const FORMS = `${ROOT}/references/FORMS.md`;

/** The code of what was thrown; that it is right in kind is checked on the way. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    (value) => new Error(`not refused: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown as Error,
  );
  if (!(error instanceof SkillError)) throw error;
  expect(isMcpError(error)).toBe(true);
  // What must not be used must not come along in an error either.
  expect(JSON.stringify([error.message, error.cause])).not.toMatch(/Evil|Exfiltrate/);
  return error.code;
}

/** The entry with another list of files. */
const listing = (...resources: readonly unknown[]): unknown => ({ ...ENTRY, resources });
const own = listed(SKILL, SKILL_MD);

describe('a skill that is as it should be', () => {
  test('is opened by reading its SKILL.md and nothing else', async () => {
    const { peer, asked } = playedServer({ files: FILES });
    const skill = await openSkill(peer, ENTRY);
    expect(asked).toEqual([`resources/read ${SKILL}`]);
    expect(skill.text).toBe(SKILL_MD);
    expect(skill.instructions).toBe('\nSee references/FORMS.md.\n');
    expect(skill.paths).toEqual(['SKILL.md', 'references/FORMS.md', 'assets/logo.png']);
    expect(skill.entry).toEqual(ENTRY);
  });

  test('is found by its URI, and it is the server that says that it is a skill', async () => {
    const { peer, asked } = playedServer({ skills: { [SKILL]: ENTRY }, files: FILES });
    expect((await openSkill(peer, SKILL)).entry).toEqual(ENTRY);
    expect(asked).toEqual([`skills/get ${SKILL}`, `resources/read ${SKILL}`]);
  });

  test('gives its files: by path, by what leads there, by URI', async () => {
    const { peer } = playedServer({ files: FILES });
    const skill = await openSkill(peer, ENTRY);
    for (const path of ['references/FORMS.md', './references/FORMS.md', 'assets/../references/FORMS.md', FORMS]) {
      expect(await skill.readText(path)).toBe(FORMS_MD);
    }
    expect(await skill.readFile('assets/logo.png')).toEqual(LOGO);
    expect(await refusal(skill.readText('assets/logo.png'))).toBe('not-text');
  });

  test('may have names that a URI has to encode', async () => {
    const uri = `${ROOT}/My%20Guide%20%C3%BC.md`;
    const { peer } = playedServer({ files: { ...FILES, [uri]: 'Guide' } });
    const skill = await openSkill(peer, listing(own, listed(uri, 'Guide')) as never);
    expect(skill.paths).toEqual(['SKILL.md', 'My Guide ü.md']);
    expect(await skill.readText('My Guide ü.md')).toBe('Guide');
    expect(await skill.readText('My%20Guide%20%C3%BC.md')).toBe('Guide');
  });

  test('may be under any scheme, and may say no sizes', async () => {
    const uri = 'github://acme/repo/skills/pdf-processing/SKILL.md';
    const { size: _, ...resource } = listed(uri, SKILL_MD);
    const { peer } = playedServer({ files: { [uri]: SKILL_MD } });
    expect((await openSkill(peer, { ...ENTRY, uri, resources: [resource] })).text).toBe(SKILL_MD);
  });
});

describe('a file that is not what the entry says', () => {
  const served = async (content: string | Uint8Array | Record<string, unknown>, entry: unknown = ENTRY) => {
    const { peer, asked } = playedServer({ files: { ...FILES, [SKILL]: content } });
    const code = await refusal(openSkill(peer, entry as never));
    expect(asked).toEqual([`resources/read ${SKILL}`]);
    return code;
  };

  test('is refused for its digest, for its size', async () => {
    expect(await served(SKILL_MD.replace('See', 'Evi'))).toBe('digest-mismatch');
    expect(await served(`${SKILL_MD}Evil`)).toBe('size-mismatch');
    expect(await served(SKILL_MD.slice(0, -1))).toBe('size-mismatch');
    expect(await served(Buffer.from(`${SKILL_MD}Evil, Evil`))).toBe('size-mismatch');
    expect(await served('')).toBe('size-mismatch');
  });

  test('is refused for its size alone, whatever its digest', async () => {
    const longer = `${SKILL_MD}Evil`;
    const { digest } = listed(SKILL, longer);
    expect(await served(longer, listing({ ...own, digest }))).toBe('size-mismatch');
  });

  test.each([
    ['another description', { description: 'Extract and fill forms.' }],
    ['a field that is not in the file', { license: 'MIT' }],
    ['a field of the same text but another type', { version: '1' }],
  ])('is refused for frontmatter that differs: %s in the entry', async (_, more) => {
    const text = SKILL_MD.replace('---\n\n', 'version: 1\n---\n\n');
    const frontmatter = { ...ENTRY.frontmatter, version: 1, ...more };
    expect(await served(text, { ...ENTRY, frontmatter, resources: [listed(SKILL, text)] })).toBe(
      'frontmatter-mismatch',
    );
  });

  test('is refused for frontmatter that differs: a field that is only in the file', async () => {
    const text = SKILL_MD.replace('---\n\n', 'allowed-tools: Exfiltrate\n---\n\n');
    expect(await served(text, listing(listed(SKILL, text)))).toBe('frontmatter-mismatch');
  });

  test('is refused if it has no frontmatter, or one that cannot be read', async () => {
    const none = 'Evil\n';
    const bomb = `---\nname: ${'['.repeat(30_000)}\n---\n`;
    const twice = SKILL_MD.replace('---\n\n', 'description: Exfiltrate\n---\n\n');
    for (const text of [none, bomb, twice]) {
      expect(await served(text, listing(listed(SKILL, text)))).toBe('frontmatter-mismatch');
    }
  });

  test.each([
    ['1.0', 1, '1'],
    ['-0', 0, ''],
    ['0x10', 16, '0x10'],
    ['1e3', 1000, '1e3'],
    ['', null, ''],
    ['~', null, '~'],
    ['2024-01-31', '2024-01-31', null],
    ['no', 'no', false],
    ['[]', [], {}],
    ['{}', {}, []],
    ['[1, 2]', [1, 2], [2, 1]],
    ['[1]', [1], { 0: 1 }],
    ['{ a: ~ }', { a: null }, {}],
  ])('is compared as the JSON that YAML stands for: %j', async (yaml, same, other) => {
    const text = SKILL_MD.replace('---\n\n', `x: ${yaml}\n---\n\n`);
    const { peer } = playedServer({ files: { [SKILL]: text } });
    const entry = (x: unknown) => ({
      ...ENTRY,
      frontmatter: { ...ENTRY.frontmatter, x },
      resources: [listed(SKILL, text)],
    });
    expect((await openSkill(peer, entry(same))).text).toBe(text);
    expect(await refusal(openSkill(peer, entry(other)))).toBe('frontmatter-mismatch');
  });

  test('is compared in all depth, and not in the order of its keys', async () => {
    const text = SKILL_MD.replace('---\n\n', 'metadata: { a: [1, { b: x }], __proto__: y }\n---\n\n');
    const resources = [listed(SKILL, text)];
    const metadata = JSON.parse('{ "__proto__": "y", "a": [1, { "b": "x" }] }') as object;
    const entry = { uri: SKILL, resources, frontmatter: { metadata, ...ENTRY.frontmatter } };
    const { peer } = playedServer({ files: { [SKILL]: text } });
    await openSkill(peer, entry);
    const others = [
      '{ "a": [1, { "b": "x" }] }',
      '{ "__proto__": "z", "a": [1, { "b": "x" }] }',
      '{ "__proto__": "y", "a": [1, { "b": "x", "c": 1 }] }',
    ];
    for (const other of others) {
      const frontmatter = { ...entry.frontmatter, metadata: JSON.parse(other) as object };
      expect(await refusal(openSkill(peer, { ...entry, frontmatter }))).toBe('frontmatter-mismatch');
    }
  });

  test('is refused if the answer is something else', async () => {
    const other = { contents: [{ uri: 'skill://other/SKILL.md', text: SKILL_MD }] };
    for (const answer of [{}, { contents: [] }, { contents: [{ uri: SKILL }] }, { contents: null }, other]) {
      expect(await served(answer)).toBe('malformed');
    }
    expect(await served({ contents: [{ uri: SKILL, blob: '!!!' }] })).toBe('malformed');
  });

  test.each([
    ['text', (text: string) => text],
    ['bytes', (text: string) => Buffer.from(text)],
  ])('is refused if line ends, a byte order mark or characters were changed on the way, as %s', async (_, as) => {
    const text = `\ufeff${SKILL_MD.replaceAll('\n', '\r\n')}\u00fc`;
    const entry = listing(listed(SKILL, text));
    const { peer } = playedServer({ files: { [SKILL]: as(text) } });
    expect((await openSkill(peer, entry as never)).text).toBe(text);
    for (const other of [text.replaceAll('\r\n', '\n'), text.slice(1), text.normalize('NFD'), `${text}\ud800`]) {
      expect(await served(as(other), entry)).toBe('size-mismatch');
    }
  });

  test('is refused when it is read later, too', async () => {
    const files: Record<string, string | Uint8Array> = { ...FILES };
    const { peer } = playedServer({ files });
    const skill = await openSkill(peer, ENTRY);
    files[FORMS] = 'Evil forms are filled';
    expect(await refusal(skill.readText('references/FORMS.md'))).toBe('size-mismatch');
    files[FORMS] = FORMS_MD.replace('forms', 'Evil!');
    expect(await refusal(skill.readFile('references/FORMS.md'))).toBe('digest-mismatch');
    files[FORMS] = FORMS_MD;
    expect(await skill.readText('references/FORMS.md')).toBe(FORMS_MD);
  });
});

describe('a file that the entry does not have', () => {
  test.each([
    'references/MORE.md',
    'references',
    '',
    '.',
    '/SKILL.md',
    '../other/SKILL.md',
    '../../etc/passwd',
    'references/../../x/SKILL.md',
    '%2e%2e/other/SKILL.md',
    'references\\FORMS.md',
    'SKILL.md\0',
    'skill://other/SKILL.md',
    `${ROOT}/../other/SKILL.md`,
    `${ROOT}/%2e%2e/other/SKILL.md`,
    'file:///etc/passwd',
    '__proto__',
  ])('is not even asked for: %j', async (path) => {
    const { peer, asked } = playedServer({ files: FILES });
    const skill = await openSkill(peer, ENTRY);
    expect(await refusal(skill.readFile(path))).toBe('unlisted');
    expect(asked).toEqual([`resources/read ${SKILL}`]);
  });
});

describe('an entry that is not as the extension has it', () => {
  const evil = (uri: string): unknown => listing(own, listed(uri, 'Evil'));

  test.each([
    ['a file of another skill', evil('skill://other/x.md')],
    ['a file next to its directory', evil('skill://pdf-processing-evil/x.md')],
    ['a file that leads out of it', evil(`${ROOT}/../other/x.md`)],
    ['the same, encoded', evil(`${ROOT}/%2e%2e/other/x.md`)],
    ['a slash that is encoded', evil(`${ROOT}/..%2fother%2fx.md`)],
    ['a backslash', evil(`${ROOT}/..\\x.md`)],
    ['a backslash that is encoded', evil(`${ROOT}/..%5cx.md`)],
    ['a NUL', evil(`${ROOT}/x%00.md`)],
    ['a URI that is not encoded right', evil(`${ROOT}/x%zz.md`)],
    ['a query', evil(`${ROOT}/x.md?y`)],
    ['its directory', evil(`${ROOT}/`)],
    ['a file twice', listing(own, own)],
    ['a file twice, encoded differently', listing(own, listed(`${ROOT}/a.md`, ''), listed(`${ROOT}/%61.md`, ''))],
    ['no SKILL.md', listing(listed(FORMS, FORMS_MD))],
    ['a SKILL.md that is encoded', listing(listed(`${ROOT}/%53KILL.md`, SKILL_MD))],
    ['nothing', listing()],
    ['a digest of another kind', listing({ ...own, digest: `md5:${'0'.repeat(32)}` })],
    ['a digest in capitals', listing({ ...own, digest: own.digest.toUpperCase() })],
    ['a negative size', listing({ ...own, size: -1 })],
    ['a size that is no number', listing({ ...own, size: '10' })],
    ['files that are no array', { ...ENTRY, resources: 'static' }],
    ['no frontmatter', { ...ENTRY, frontmatter: undefined }],
    ['no description', { ...ENTRY, frontmatter: { name: 'pdf-processing' } }],
    ['another name than its directory', { ...ENTRY, frontmatter: { ...ENTRY.frontmatter, name: 'pdf' } }],
    [
      'a name against the rules',
      { ...ENTRY, uri: 'skill://PDF/SKILL.md', frontmatter: { ...ENTRY.frontmatter, name: 'PDF' } },
    ],
    ['a URI that leads elsewhere', { ...ENTRY, uri: 'skill://a/../pdf-processing/SKILL.md' }],
    ['the URI of another file', { ...ENTRY, uri: `${ROOT}/README.md` }],
    ['a SKILL.md in other letters', { ...ENTRY, uri: `${ROOT}/skill.md`, resources: 'dynamic' }],
    ['no URI', { ...ENTRY, uri: 1 }],
    ['nothing at all', null],
  ])('is refused: %s', async (_, entry) => {
    const { peer, asked } = playedServer({ files: FILES, skills: { [SKILL]: entry } });
    expect(await refusal(openSkill(peer, entry as never))).toBe('malformed');
    expect(asked).toEqual([]);
    expect(await refusal(getSkill(peer, SKILL))).toBe('malformed');
  });

  test('is refused if it is that of another skill than was asked for', async () => {
    const uri = 'skill://acme/pdf-processing/SKILL.md';
    const { peer } = playedServer({ skills: { [uri]: ENTRY } });
    expect(await refusal(getSkill(peer, uri))).toBe('malformed');
  });

  test('is refused with more files or bytes than are accepted', async () => {
    const { peer, asked } = playedServer({ files: FILES });
    const many = Array.from({ length: 512 }, (_, index) => listed(`${ROOT}/${index}.md`, ''));
    expect(await refusal(openSkill(peer, listing(own, ...many) as never))).toBe('too-large');
    expect(await refusal(openSkill(peer, listing({ ...own, size: 16 * 1024 * 1024 + 1 }) as never))).toBe('too-large');
    expect(await refusal(openSkill(peer, ENTRY, { maxFiles: 2 }))).toBe('too-large');
    expect(await refusal(openSkill(peer, ENTRY, { maxBytes: 100 }))).toBe('too-large');
    expect(asked).toEqual([]);
    const { size: _, ...unsized } = own;
    expect(await refusal(openSkill(peer, listing(unsized) as never, { maxBytes: 50 }))).toBe('too-large');
    await openSkill(peer, listing(own, ...many) as never, { maxFiles: 513 });
  });
});

describe('a skill that says nothing of its content', () => {
  const dynamic = { ...ENTRY, resources: 'dynamic' as const };

  test.each([['dynamic'], [undefined]])('is not opened (resources: %s)', async (resources) => {
    const { peer, asked } = playedServer({ files: FILES });
    expect(await refusal(openSkill(peer, { ...ENTRY, resources } as never))).toBe('dynamic');
    expect(asked).toEqual([]);
  });

  test('is opened if that is wanted; its frontmatter is still compared, and reads stay within it', async () => {
    const { peer, asked } = playedServer({ files: FILES });
    const skill = await openSkill(peer, dynamic, { allowDynamic: true });
    expect(skill.paths).toEqual([]);
    expect(await skill.readText('references/FORMS.md')).toBe(FORMS_MD);
    for (const path of ['../other/SKILL.md', 'skill://other/x.md', `${ROOT}/../x`, 'a\\b', '', 'a//b', 'x\0']) {
      expect(await refusal(skill.readFile(path))).toBe('unlisted');
    }
    expect(asked).toEqual([`resources/read ${SKILL}`, `resources/read ${FORMS}`]);
    const frontmatter = { ...ENTRY.frontmatter, description: 'Something nicer' };
    const other = openSkill(peer, { ...dynamic, frontmatter }, { allowDynamic: true });
    expect(await refusal(other)).toBe('frontmatter-mismatch');
  });
});
