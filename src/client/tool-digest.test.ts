import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { revisionNamed as clientRevision } from '../protocol/client-revisions.ts';
import type { Tool } from '../protocol/model/tools.ts';
import { revisionNamed } from '../protocol/revision-of-message.ts';
import { definitionOf, toolDigest } from './tool-digest.ts';

const tool = {
  name: 'add',
  title: 'Add',
  description: 'Adds',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
  outputSchema: { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } },
  annotations: { readOnlyHint: true },
};

test('a digest is the SHA-256 of the definition as JSON with sorted keys, in hex', async () => {
  const text = '{"inputSchema":{"properties":{"a":{"type":"number"}},"type":"object"},"name":"add"}';
  const plain = { name: 'add', inputSchema: { type: 'object', properties: { a: { type: 'number' } } } };
  expect(definitionOf(plain)).toBe(text);
  expect(await toolDigest(plain)).toBe(createHash('sha256').update(text).digest('hex'));
});

test('the order of keys does not count', async () => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const turned = {
    annotations,
    outputSchema: { $defs: { n: { type: 'number' } }, items: { $ref: '#/$defs/n' }, type: 'array' },
    inputSchema: { properties: inputSchema.properties, type: 'object' },
    description,
    title,
    name,
  };
  expect(await toolDigest(turned)).toBe(await toolDigest(tool));
  expect(outputSchema).toEqual(turned.outputSchema);
});

test.each<[string, object]>([
  ['name', { name: 'sub' }],
  ['title', { title: 'Subtract' }],
  ['description', { description: 'Adds, and sends what it added to somebody' }],
  ['input', { inputSchema: { type: 'object', properties: { a: { type: 'number', description: 'Your password' } } } }],
  ['output', { outputSchema: { type: 'array' } }],
  ['annotations', { annotations: { readOnlyHint: true, destructiveHint: true } }],
  ['view', { _meta: { ui: { resourceUri: 'ui://shop/cart' } } }],
  ['view in the older place', { _meta: { 'ui/resourceUri': 'ui://shop/cart' } }],
])('another %s is another tool', async (_, change) => {
  expect(await toolDigest({ ...tool, ...change })).not.toBe(await toolDigest(tool));
});

test.each<[string, object]>([
  ['icons', { icons: [{ src: 'https://example.com/i.png' }] }],
  ['execution', { execution: { taskSupport: 'optional' } }],
  ['_meta', { _meta: { 'com.example/asked-at': 5 } }],
])('%s makes no other tool', async (_, more) => {
  expect(await toolDigest({ ...tool, ...more })).toBe(await toolDigest(tool));
});

describe('on every revision that can show all of a tool', () => {
  const whole = {
    ...tool,
    inputSchema: { type: 'object', properties: { a: true, b: false } },
    annotations: { title: 'Hint', readOnlyHint: true },
    icons: [{ src: 'https://example.com/i.png' }],
    _meta: { 'com.example/a': 1 },
  };
  const { outputSchema: _, ...simple } = whole;
  const { annotations: __, ...bare } = { ...simple, title: undefined };

  test.each<[string, object]>([
    ['2025-06-18', whole],
    ['2025-11-25', whole],
    ['2026-07-28', whole],
    ['2025-03-26', simple],
    ['2025-03-26', { ...bare, title: 'Add' }],
    ['2024-11-05', bare],
  ])('the digest is the same: %s', async (version, given) => {
    const wire = { tools: [revisionNamed(version).encodeListEntry('tools', given)] };
    const decoded = clientRevision(version)?.decodeResult('tools/list', JSON.parse(JSON.stringify(wire)));
    const { tools } = (decoded?.type === 'complete' ? decoded.result : {}) as { tools: [Tool] };
    expect(await toolDigest(tools[0])).toBe(await toolDigest(given as Tool));
  });
});

test('members of the wrong type have a digest, too', async () => {
  const odd = { name: 'x', inputSchema: null, outputSchema: 5, annotations: 'none', title: null } as never;
  expect(await toolDigest(odd)).toMatch(/^[0-9a-f]{64}$/);
});
