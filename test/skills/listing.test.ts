/** What a client makes of a list of skills. */

import {
  getSkill,
  listSkills,
  openSkill,
  readDirectory,
  type SkillEntry,
  SkillError,
  skillDigest,
} from 'mcpp/extensions/skills';
import { describe, expect, test } from 'vitest';
import { ENTRY, listed, playedServer } from './played-server.ts';

const entry = (path: string): SkillEntry => {
  const uri = `skill://${path}/SKILL.md`;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { uri, frontmatter: { name, description: 'One of many' }, resources: [listed(uri, name)] };
};
const code = (code: string): unknown => expect.objectContaining({ name: 'SkillError', code });

describe('a list', () => {
  test('is read to its end, and no file with it', async () => {
    const { peer, asked } = playedServer({ pages: [[entry('a')], [], [entry('b'), entry('c')]] });
    const { skills, refused } = await listSkills(peer);
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://a/SKILL.md', 'skill://b/SKILL.md', 'skill://c/SKILL.md']);
    expect(refused).toEqual([]);
    expect(asked).toEqual(['skills/list', 'skills/list', 'skills/list']);
  });

  test('may have a name twice: both are there, told apart by their URIs', async () => {
    const { peer } = playedServer({ pages: [[entry('acme/refunds'), entry('other/refunds')]] });
    expect((await listSkills(peer)).skills).toHaveLength(2);
  });

  test('keeps the good ones, and says what is wrong with the others', async () => {
    const outside = { ...entry('b'), resources: [listed('skill://b/SKILL.md', 'b'), listed('skill://a/x', 'x')] };
    const { peer } = playedServer({
      pages: [
        [entry('a'), outside, null],
        [entry('a'), entry('c')],
      ],
    });
    const { skills, refused } = await listSkills(peer);
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(['a', 'c']);
    expect(refused).toEqual([code('malformed'), code('malformed'), code('malformed')]);
    expect(refused.map(({ uri }) => uri)).toEqual(['skill://b/SKILL.md', undefined, 'skill://a/SKILL.md']);
    expect(refused[2]?.message).toBe('The skill "skill://a/SKILL.md" is listed twice');
  });

  test('that is empty is no error', async () => {
    expect(await listSkills(playedServer({ pages: [[]] }).peer)).toEqual({ skills: [], refused: [] });
  });

  test('that never ends, ends', async () => {
    const same = playedServer({ list: () => ({ skills: [], nextCursor: 'again' }) });
    await expect(listSkills(same.peer)).rejects.toEqual(code('incomplete'));
    expect(same.asked).toHaveLength(2);
    const next = playedServer({ list: (cursor) => ({ skills: [], nextCursor: `${cursor}x` }) });
    await expect(listSkills(next.peer)).rejects.toEqual(code('incomplete'));
    expect(next.asked).toHaveLength(1001);
  });

  test('that is too long is not kept', async () => {
    const { peer } = playedServer({ pages: [[entry('a'), entry('b')], [entry('c')]] });
    expect((await listSkills(peer, { maxSkills: 3 })).skills).toHaveLength(3);
    await expect(listSkills(peer, { maxSkills: 2 })).rejects.toEqual(code('incomplete'));
  });

  test('needs limits that are numbers', async () => {
    const { peer } = playedServer({ pages: [[entry('a')]] });
    const wrong = [{ maxSkills: Number.NaN }, { maxFiles: 0 }, { maxBytes: -1 }];
    for (const options of wrong)
      await expect(listSkills(peer, options)).rejects.toThrow('must be a number of at least 1');
  });

  test('that is none is an error', async () => {
    const { peer } = playedServer({ list: () => ({ tools: [] }) });
    await expect(listSkills(peer)).rejects.toEqual(code('malformed'));
  });
});

test('a server that does not declare the extension is not asked', async () => {
  const { peer, asked } = playedServer({ settings: null });
  const calls = [listSkills(peer), getSkill(peer, 'skill://a/SKILL.md'), openSkill(peer, 'skill://a/SKILL.md')];
  for (const call of calls) await expect(call).rejects.toEqual(code('unsupported'));
  await expect(readDirectory(peer, 'skill://a')).rejects.toEqual(code('unsupported'));
  expect(asked).toEqual([]);
});

test('directories are asked for only where the server says that it has them', async () => {
  const child = { uri: 'skill://a/x.md', name: 'x.md' };
  const directory = (_: unknown, cursor: unknown): Record<string, unknown> =>
    cursor ? { resources: [child] } : { resources: [child], nextCursor: 'x' };
  await expect(readDirectory(playedServer({ directory }).peer, 'skill://a')).rejects.toEqual(code('unsupported'));
  const { peer } = playedServer({ directory, settings: { directoryRead: true } });
  expect(await readDirectory(peer, 'skill://a')).toEqual([child, child]);
  const bad = playedServer({ directory: () => ({ resources: [1] }), settings: { directoryRead: true } });
  await expect(readDirectory(bad.peer, 'skill://a')).rejects.toEqual(code('malformed'));
});

describe('what a person approved', () => {
  test('is known by all files and their content, in any order', async () => {
    const { resources } = ENTRY;
    const digest = await skillDigest(ENTRY);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await skillDigest({ ...ENTRY, resources: resources.toReversed() })).toBe(digest);
    const changed = resources.map((file) => (file.uri.endsWith('FORMS.md') ? listed(file.uri, 'Other forms') : file));
    const renamed = resources.map((file) => ({ ...file, uri: file.uri.replace('FORMS', 'FORM') }));
    const added = [...resources, listed('skill://pdf-processing/x', 'x')];
    const others = [changed, renamed, added, resources.slice(1)];
    for (const other of others) {
      expect(await skillDigest({ ...ENTRY, resources: other })).not.toBe(digest);
    }
  });

  test('cannot be known of a skill that says nothing of its content', async () => {
    await expect(skillDigest({ ...ENTRY, resources: 'dynamic' })).rejects.toBeInstanceOf(SkillError);
  });
});
