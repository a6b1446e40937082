import { describe, expect, test } from 'vitest';
import { badArguments, missingCapability, resourceNotFound } from './errors.ts';
import { METHODS } from './methods.ts';
import type { ContentBlock } from './model/content.ts';
import type { EncodingHints, ListKind, Revision, ServerInfo } from './revision.ts';
import { revisionNamed } from './revision-of-message.ts';

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

const host: ServerInfo = {
  info: { name: 's', version: '1' },
  instructions: undefined,
  capabilities: {},
  declaredIn: () => ({}),
  subscriptions: new Map(),
  versions: [...VERSIONS],
  cache: { ttlMs: 0, cacheScope: 'private' },
  watch: () => () => {},
};

function revision(version: string): Revision {
  return revisionNamed(version);
}

const item = (version: string, kind: ListKind, entry: object): Record<string, unknown> =>
  revision(version).encodeListEntry(kind, entry) as Record<string, unknown>;

const result = (version: string, method: string, value: object, about: EncodingHints = {}): Record<string, unknown> =>
  JSON.parse(JSON.stringify(revision(version).encodeResult(METHODS.get(method), value, about, host)));

const content = (version: string, block: ContentBlock): unknown =>
  (result(version, 'tools/call', { content: [block] })['content'] as unknown[])[0];

/** One row of the table: the encoding of one value in each of the five revisions, oldest first. */
function row(name: string, convert: (version: string) => unknown, cells: readonly unknown[]): void {
  describe(name, () => {
    test.each(VERSIONS.map((version, at) => [version, cells[at]] as const))('%s', (version, expected) => {
      expect(convert(version)).toEqual(expected);
    });
  });
}

const DROP = undefined;
const tool = { name: 't', inputSchema: { type: 'object' } };
const icons = [{ src: 'https://example.com/i.png' }];

row(
  'a tool’s title',
  (v) => [item(v, 'tools', { ...tool, title: 'T' })].map((t) => [t['title'], t['annotations']])[0],
  [
    [DROP, DROP],
    [DROP, { title: 'T' }],
    ['T', DROP],
    ['T', DROP],
    ['T', DROP],
  ],
);

row('a tool’s annotations', (v) => item(v, 'tools', { ...tool, annotations: { readOnlyHint: true } })['annotations'], [
  DROP,
  { readOnlyHint: true },
  { readOnlyHint: true },
  { readOnlyHint: true },
  { readOnlyHint: true },
]);

test('the title of a tool replaces that of its annotations in revisions that have only annotations.title', () => {
  const both = { ...tool, title: 'Own', annotations: { title: 'Hint', readOnlyHint: true } };
  expect(item('2025-03-26', 'tools', both)['annotations']).toEqual({ title: 'Own', readOnlyHint: true });
});

const numbers = { type: 'array', items: { type: 'number' } };
const wrapped = { type: 'object', properties: { result: numbers }, required: ['result'] };
const object = { type: 'object', properties: { a: { type: 'number' } } };

row('an output schema of objects', (v) => item(v, 'tools', { ...tool, outputSchema: object })['outputSchema'], [
  DROP,
  DROP,
  object,
  object,
  object,
]);
row('an output schema of anything else', (v) => item(v, 'tools', { ...tool, outputSchema: numbers })['outputSchema'], [
  DROP,
  DROP,
  wrapped,
  wrapped,
  numbers,
]);

const text = [{ type: 'text', text: '[1]' }];
const more = [...text, { type: 'text', text: '{"a":1}' }];
row(
  'structured content that is an object',
  (v) => {
    const value = { content: text, structuredContent: { a: 1 } };
    const { content, structuredContent } = result(v, 'tools/call', value, { outputSchema: object });
    return [content, structuredContent];
  },
  [
    [more, DROP],
    [more, DROP],
    [text, { a: 1 }],
    [text, { a: 1 }],
    [text, { a: 1 }],
  ],
);
row(
  'structured content that is something else',
  (v) =>
    result(v, 'tools/call', { content: text, structuredContent: [1] }, { outputSchema: numbers })['structuredContent'],
  [DROP, DROP, { result: [1] }, { result: [1] }, [1]],
);
const server = { 'io.modelcontextprotocol/serverInfo': host.info };
row(
  'what such a result says of it in its _meta',
  (v) => result(v, 'tools/call', { content: text, structuredContent: [1] }, { outputSchema: numbers })['_meta'],
  [
    { 'mcpp/structuredText': 0 },
    { 'mcpp/structuredText': 0 },
    { 'mcpp/wrappedResult': true },
    { 'mcpp/wrappedResult': true },
    server,
  ],
);
row(
  'structured content that is null, without a schema',
  (v) => result(v, 'tools/call', { content: text, structuredContent: null })['structuredContent'],
  [DROP, DROP, { result: null }, { result: null }, null],
);

row(
  'icons of a tool, a prompt, a resource, a template',
  (v) => [
    item(v, 'tools', { ...tool, icons })['icons'],
    item(v, 'prompts', { name: 'p', icons })['icons'],
    item(v, 'resources', { uri: 'x:', name: 'r', icons })['icons'],
    item(v, 'resourceTemplates', { uriTemplate: 'x:{a}', name: 'r', icons })['icons'],
  ],
  [
    [DROP, DROP, DROP, DROP],
    [DROP, DROP, DROP, DROP],
    [DROP, DROP, DROP, DROP],
    [icons, icons, icons, icons],
    [icons, icons, icons, icons],
  ],
);

row(
  'titles of a prompt, its argument and a resource',
  (v) => [
    item(v, 'prompts', { name: 'p', title: 'T' })['title'],
    (item(v, 'prompts', { name: 'p', arguments: [{ name: 'a', title: 'T' }] })['arguments'] as unknown[])[0],
    item(v, 'resources', { uri: 'x:', name: 'r', title: 'T' })['title'],
  ],
  [
    [DROP, { name: 'a' }, DROP],
    [DROP, { name: 'a' }, DROP],
    ['T', { name: 'a', title: 'T' }, 'T'],
    ['T', { name: 'a', title: 'T' }, 'T'],
    ['T', { name: 'a', title: 'T' }, 'T'],
  ],
);

const execution = { taskSupport: 'optional' };
row('execution.taskSupport', (v) => item(v, 'tools', { ...tool, execution })['execution'], [
  DROP,
  DROP,
  DROP,
  execution,
  DROP,
]);

const annotated = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
row(
  'x-mcp-header in a schema',
  (v) => item(v, 'tools', { name: 't', inputSchema: annotated })['inputSchema'],
  VERSIONS.map(() => annotated),
);

const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } as const;
const embedded = { type: 'resource', resource: { uri: 'data:audio/wav', mimeType: 'audio/wav', blob: 'AAAA' } };
row('audio', (v) => content(v, audio), [embedded, audio, audio, audio, audio]);
row(
  'audio in a prompt',
  (v) =>
    (result(v, 'prompts/get', { messages: [{ role: 'user', content: audio }] })['messages'] as { content: object }[])[0]
      ?.content,
  [embedded, audio, audio, audio, audio],
);

const link = { type: 'resource_link', uri: 'file:///a', name: 'a' } as const;
const asText = { type: 'text', text: 'a: file:///a' };
row('a resource link', (v) => content(v, link), [asText, asText, link, link, link]);

const lastModified = '2026-01-01T00:00:00Z';
const _meta = { 'com.example/a': 1 };
row(
  'lastModified and _meta of a resource',
  (v) => {
    const entry = { uri: 'x:', name: 'r', annotations: { priority: 1, lastModified }, _meta };
    const encoded = item(v, 'resources', entry);
    return [encoded['annotations'], encoded['_meta']];
  },
  [
    [{ priority: 1 }, DROP],
    [{ priority: 1 }, DROP],
    [{ priority: 1, lastModified }, _meta],
    [{ priority: 1, lastModified }, _meta],
    [{ priority: 1, lastModified }, _meta],
  ],
);
const full = { type: 'text', text: 'x', annotations: { priority: 1, lastModified }, _meta } as const;
const bare = { type: 'text', text: 'x', annotations: { priority: 1 } };
row('lastModified and _meta of content', (v) => content(v, full), [bare, bare, full, full, full]);
row(
  '_meta of contents and of a tool',
  (v) => [
    (result(v, 'resources/read', { contents: [{ uri: 'x:', text: '', _meta }] })['contents'] as object[])[0],
    item(v, 'tools', { ...tool, _meta })['_meta'],
  ],
  [
    [{ uri: 'x:', text: '' }, DROP],
    [{ uri: 'x:', text: '' }, DROP],
    [{ uri: 'x:', text: '', _meta }, _meta],
    [{ uri: 'x:', text: '', _meta }, _meta],
    [{ uri: 'x:', text: '', _meta }, _meta],
  ],
);

const progress = { progressToken: 1, progress: 2, message: 'm' };
row('the message of progress', (v) => revision(v).encodeProgress(progress), [
  { progressToken: 1, progress: 2 },
  progress,
  progress,
  progress,
  progress,
]);

const code = (v: string, error: Parameters<Revision['encodeError']>[0]): unknown => {
  const failure = revision(v).encodeError(error);
  return 'error' in failure ? failure.error.code : failure.result;
};
const isError = { content: [{ type: 'text', text: 'bad' }], isError: true };
row('a resource that is not there', (v) => code(v, resourceNotFound('x:')), [-32002, -32002, -32002, -32002, -32602]);
row('bad arguments of a tool', (v) => code(v, badArguments('bad')), [-32602, -32602, -32602, isError, isError]);
row(
  'a capability that was not declared',
  (v) => code(v, missingCapability('roots')),
  [-32602, -32602, -32602, -32602, -32021],
);

row(
  'resultType, ttlMs, cacheScope and serverInfo',
  (v) => {
    const list = result(v, 'tools/list', { tools: [] }, { cache: host.cache });
    const called = result(v, 'tools/call', { content: [] });
    const page = revision(v).encodePage({ kind: 'tools', items: [], nextCursor: undefined, cache: host.cache }, host);
    return [Object.keys(list), Object.keys(called), Object.keys(JSON.parse(page.text) as object)].map((keys) =>
      keys.sort(),
    );
  },
  [
    ...Array(4).fill([['tools'], ['content'], ['tools']]),
    [
      ['_meta', 'cacheScope', 'resultType', 'tools', 'ttlMs'],
      ['_meta', 'content', 'resultType'],
      ['_meta', 'cacheScope', 'resultType', 'tools', 'ttlMs'],
    ],
  ],
);

test('unknown members are kept in every revision', () => {
  for (const version of VERSIONS) {
    const called = { content: [{ type: 'text', text: 'x', 'com.example/b': 2 }], 'com.example/a': 1, _meta };
    expect(result(version, 'tools/call', called)).toMatchObject({
      'com.example/a': 1,
      content: [{ 'com.example/b': 2 }],
      _meta,
    });
    expect(item(version, 'tools', { ...tool, 'com.example/a': 1 })).toMatchObject({ 'com.example/a': 1 });
  }
});

test('encoders do not modify their arguments', () => {
  const entry = Object.freeze({
    ...tool,
    title: 'T',
    icons,
    _meta,
    annotations: Object.freeze({}),
    outputSchema: numbers,
  });
  for (const version of VERSIONS) item(version, 'tools', entry);
  expect(entry).toEqual({ ...tool, title: 'T', icons, _meta, annotations: {}, outputSchema: numbers });
});
