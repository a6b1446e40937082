/** Skills of a server, as clients of every revision see them. */

import { type Connection, connect } from 'mcpp/client';
import { getSkill, listSkills, openSkill, readDirectory, skills, skillsClient } from 'mcpp/extensions/skills';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { describe, expect, test } from 'vitest';
import { REVISIONS } from '../wire.ts';

const md = (name: string, more = ''): string => `---\nname: ${name}\ndescription: About ${name}\n${more}---\n\nText.\n`;

/** A byte order mark, a surrogate pair and line ends of Windows have to come out as they went in. */
const ODD = '\ufeffOdd \u{1f600}\r\n';
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0xff);
const FILES = {
  'pdf-processing/SKILL.md': md(
    'pdf-processing',
    'license: MIT\nmetadata: { since: 2024-01-31, versions: [1, 2.5] }\n',
  ),
  'pdf-processing/references/FORMS.md': '# Forms\n',
  'pdf-processing/references/odd & more?.txt': ODD,
  'pdf-processing/assets/logo.png': PNG,
  'pdf-processing/scripts/run': '#!/bin/sh\n',
  'pdf-processing/scripts/data': Uint8Array.of(0, 1, 2),
  'pdf-processing/nested/filling/SKILL.md': md('filling'),
  'pdf-processing/nested/filling/more.json': '{}',
  'acme/billing/refunds/SKILL.md': md('refunds'),
};

const extension = await skills(FILES);
const server = new McpServer({ name: 'skilled', version: '1.0.0' }, { extensions: [extension] });

describe.each(REVISIONS)('on %s', (revision) => {
  async function withClient(use: (client: Connection) => Promise<void>): Promise<void> {
    const client = await testClient(server, { revision });
    try {
      await use(client);
    } finally {
      await client.close();
    }
  }

  test('the extension is declared, and the resources that it needs', () =>
    withClient(async ({ serverCapabilities }) => {
      expect(serverCapabilities.extensions).toEqual({ 'io.modelcontextprotocol/skills': { directoryRead: true } });
      expect(serverCapabilities.resources).toBeDefined();
    }));

  test('all skills are listed, those within others too, with their frontmatter as it is written', () =>
    withClient(async (client) => {
      const { skills: found, refused } = await listSkills(client);
      expect(refused).toEqual([]);
      expect(found).toEqual(extension.skills);
      expect(found.map(({ uri }) => uri)).toEqual([
        'skill://acme/billing/refunds/SKILL.md',
        'skill://pdf-processing/SKILL.md',
        'skill://pdf-processing/nested/filling/SKILL.md',
      ]);
      expect(found[1]?.frontmatter).toEqual({
        name: 'pdf-processing',
        description: 'About pdf-processing',
        license: 'MIT',
        metadata: { since: '2024-01-31', versions: [1, 2.5] },
      });
    }));

  test('every file of every skill is what its entry says', () =>
    withClient(async (client) => {
      const { skills: found } = await listSkills(client);
      const read = new Map<string, Uint8Array>();
      for (const entry of found) {
        const skill = await openSkill(client, entry);
        const directory = decodeURIComponent(entry.uri.slice('skill://'.length, -'SKILL.md'.length));
        for (const path of skill.paths) read.set(directory + path, await skill.readFile(path));
      }
      const given = Object.entries(FILES).map(([path, content]) => [
        path,
        Uint8Array.from(Buffer.from(content as string)),
      ]);
      expect(Object.fromEntries(read)).toEqual(Object.fromEntries(given));
    }));

  test('a skill is got by its URI, and what is none is an error', () =>
    withClient(async (client) => {
      const uri = 'skill://pdf-processing/SKILL.md';
      expect(await getSkill(client, uri)).toEqual(extension.skills[1]);
      for (const other of [
        'skill://none/SKILL.md',
        'skill://pdf-processing',
        'skill://pdf-processing/references/FORMS.md',
      ]) {
        await expect(client.request('skills/get', { uri: other })).rejects.toMatchObject({
          code: -32602,
          data: { uri: other },
        });
      }
      await expect(client.request('skills/get', {})).rejects.toMatchObject({ code: -32602 });
    }));

  test('every SKILL.md is in the list of resources, under the name and description of its skill, and the rest is not', () =>
    withClient(async (client) => {
      const { resources } = await client.listResources();
      expect(resources).toEqual(
        extension.skills.map(({ uri, frontmatter: { name, description } }) => {
          return { uri, name, description, mimeType: 'text/markdown', size: expect.any(Number) };
        }),
      );
    }));

  test('files are read with their type, as text where they are text', () =>
    withClient(async (client) => {
      const read = async (path: string): Promise<object | undefined> => {
        const { contents } = await client.readResource(`skill://pdf-processing/${path}`);
        const { uri: _, ...rest } = contents[0] ?? { uri: '' };
        return rest;
      };
      expect(await read('SKILL.md')).toEqual({ mimeType: 'text/markdown', text: FILES['pdf-processing/SKILL.md'] });
      expect(await read('references/odd%20%26%20more%3F.txt')).toEqual({ mimeType: 'text/plain', text: ODD });
      expect(await read('scripts/run')).toEqual({ mimeType: 'text/plain', text: '#!/bin/sh\n' });
      expect(await read('scripts/data')).toEqual({ mimeType: 'application/octet-stream', blob: 'AAEC' });
      expect(await read('assets/logo.png')).toEqual({
        mimeType: 'image/png',
        blob: Buffer.from(PNG).toString('base64'),
      });
      expect(await read('nested/filling/more.json')).toEqual({ mimeType: 'application/json', text: '{}' });
    }));

  test('directories are read, one level at a time', () =>
    withClient(async (client) => {
      const names = async (uri: string): Promise<unknown[]> =>
        (await readDirectory(client, uri)).map(({ name, mimeType }) => [name, mimeType]);
      expect(await names('skill://pdf-processing')).toEqual([
        ['pdf-processing', 'text/markdown'],
        ['assets', 'inode/directory'],
        ['nested', 'inode/directory'],
        ['references', 'inode/directory'],
        ['scripts', 'inode/directory'],
      ]);
      expect(await names('skill://pdf-processing/references')).toEqual([
        ['FORMS.md', 'text/markdown'],
        ['odd & more?.txt', 'text/plain'],
      ]);
      expect(await names('skill://acme')).toEqual([['billing', 'inode/directory']]);
      for (const uri of [
        'skill://pdf-processing/SKILL.md',
        'skill://none',
        'skill://',
        'skill://acme/',
        'skill://acme/..',
      ]) {
        await expect(client.request('resources/directory/read', { uri })).rejects.toMatchObject({ code: -32602 });
      }
    }));

  test('nothing else of the world can be read, however it is written', () =>
    withClient(async (client) => {
      const code = revision === '2026-07-28' ? -32602 : -32002;
      const hostile = [
        'skill://pdf-processing/../../etc/passwd',
        'skill://pdf-processing/%2e%2e/%2e%2e/etc/passwd',
        'skill://pdf-processing/references/../SKILL.md',
        'skill://pdf-processing/..%2f..%2fetc%2fpasswd',
        'skill://pdf-processing\\..\\..\\etc\\passwd',
        'skill://pdf-processing/SKILL.md%00',
        'skill://pdf-processing/SKILL.md\0',
        'skill:///etc/passwd',
        'skill://etc/passwd',
        'skill://pdf-processing/references/',
        'skill://pdf-processing/references/odd & more?.txt',
        'SKILL://pdf-processing/SKILL.md',
        'skill://__proto__',
        'file:///etc/passwd',
      ];
      for (const uri of hostile) {
        await expect(client.readResource(uri), uri).rejects.toMatchObject({ code });
        await expect(client.request('skills/get', { uri }), uri).rejects.toMatchObject({ code: -32602 });
        await expect(client.request('resources/directory/read', { uri }), uri).rejects.toMatchObject({ code: -32602 });
      }
    }));

  test('results say how long they may be kept, where the revision has that', () =>
    withClient(async (client) => {
      const hints = revision === '2026-07-28' ? { ttlMs: 0, cacheScope: 'private' } : {};
      const uri = 'skill://acme/billing/refunds/SKILL.md';
      const directory = 'skill://acme/billing/refunds';
      const results = [
        await client.request('skills/list'),
        await client.request('skills/get', { uri }),
        await client.request('resources/directory/read', { uri: directory }),
      ];
      for (const { ttlMs, cacheScope } of results) expect({ ttlMs, cacheScope }).toEqual({ ...hints });
      expect(results[1]).not.toHaveProperty('nextCursor');
    }));
});

test('names are served as they are, also those that a file system or a URI takes for the same', async () => {
  const names = ['u\u0308', '\u00fc', 'A', 'a', '%61', 'a#b?', "it's (1)!*~", 'a%2fb', '%zz', 'x:y@z', '%2e%2e', '...'];
  const files = names.map((name) => [`b/${name}.md`, name]);
  const given = await skills({ 'b/SKILL.md': md('b'), ...Object.fromEntries(files) });
  const client = await testClient(new McpServer({ name: 'a', version: '1' }, { extensions: [given] }));
  const skill = await openSkill(client, 'skill://b/SKILL.md');
  // What begins with a dot is hidden.
  for (const name of names.slice(0, -1)) expect(await skill.readText(`${name}.md`)).toBe(name);
  expect(skill.paths).toHaveLength(names.length);
  await client.close();
});

test('a skill that changed is read anew, also while an older answer may be kept', async () => {
  const cache = { ttlMs: 60_000, cacheScope: 'public' } as const;
  const serve = async (text: string) => skills({ 'a/SKILL.md': md('a'), 'a/x.md': text }, { cache });
  const { methods } = (await serve('new')).server ?? {};
  const changing = new McpServer({ name: 'a', version: '1' }, { extensions: [await serve('old')] });
  const client = await testClient(changing);
  const uri = 'skill://a/SKILL.md';
  const before = await openSkill(client, uri);
  expect(await before.readText('x.md')).toBe('old');
  // What a connection to another node would answer.
  changing.setHandler('skills/get', (params, ctx) => methods?.['skills/get']?.(params, ctx as never));
  changing.registerResource('skill://a/x.md', { cache }, () => 'new');
  await expect(before.readText('x.md')).rejects.toMatchObject({ code: 'digest-mismatch' });
  expect(await (await openSkill(client, uri)).readText('x.md')).toBe('new');
  await client.close();
});

test('long lists have pages, and no skill is split', async () => {
  const files = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [
    [`${name}/SKILL.md`, md(name)],
    ...Array.from({ length: 500 }, (_, index) => [`${name}/${index}.md`, 'x']),
  ]);
  const many = new McpServer({ name: 'many', version: '1' }, { extensions: [await skills(Object.fromEntries(files))] });
  const client = await testClient(many);
  const first = await client.request('skills/list');
  expect(first['skills']).toHaveLength(4);
  expect(first['nextCursor']).toEqual(expect.any(String));
  const { skills: found } = await listSkills(client);
  expect(found.map(({ resources }) => resources.length)).toEqual([501, 501, 501, 501, 501]);
  await expect(client.request('skills/list', { cursor: 'skill://none' })).rejects.toMatchObject({ code: -32602 });
  await expect(client.request('skills/list', { cursor: 7 })).rejects.toMatchObject({ code: -32602 });
  await client.close();
});

test('over HTTP it is the same, and a client may declare that it knows skills', async () => {
  const cache = { ttlMs: 60_000, cacheScope: 'public' } as const;
  const cached = new McpServer({ name: 'a', version: '1' }, { extensions: [await skills(FILES, { cache })] });
  const { url, close } = await serveHttp(cached, { port: 0 });
  const client = await connect(url, { extensions: [skillsClient] });
  expect((await listSkills(client)).skills).toEqual(extension.skills);
  expect(await client.request('skills/list')).toMatchObject(cache);
  expect(await client.request('resources/read', { uri: 'skill://acme/billing/refunds/SKILL.md' })).toMatchObject(cache);
  const skill = await openSkill(client, 'skill://pdf-processing/SKILL.md');
  expect(await skill.readText('references/odd & more?.txt')).toBe(ODD);
  await client.close();
  await close();
});
