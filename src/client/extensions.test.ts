import { type ClientExtension, connect } from 'mcpp/client';
import { describe, expect, test } from 'vitest';
import { PRIOR, Script } from '../../test/script.ts';
import { Extensions } from './extensions.ts';

const id = 'com.example/feature';
const hear = (): void => {};
const finisher = async (): Promise<Record<string, unknown>> => ({});

describe('an extension cannot be installed', () => {
  test.each<[string, readonly ClientExtension[], string]>([
    ['without a prefix', [{ id: 'feature' }], 'Extension "feature": "id" must have a prefix and a name'],
    ['twice', [{ id }, { id }], `Extension "${id}": the id ${id} is already used by`],
    [
      'with a result type of the protocol',
      [{ id, resultTypes: { complete: ['tools/call'] } }],
      'resultType "complete" belongs to the protocol',
    ],
    [
      'with a result type of another one',
      [
        { id, resultTypes: { task: ['tools/call'] } },
        { id: 'com.example/other', resultTypes: { task: ['prompts/get'] } },
      ],
      `Extension "com.example/other": resultType "task" is already used by "${id}"`,
    ],
    [
      'with a notification of the protocol',
      [{ id, client: { notifications: { 'notifications/message': hear } } }],
      `Extension "${id}": the method notifications/message belongs to the protocol`,
    ],
    [
      'with a name for a method of the protocol',
      [{ id, mcpNames: { 'tools/call': 'title' } }],
      `Extension "${id}": the method tools/call belongs to the protocol`,
    ],
    [
      'if it finishes what it does not declare',
      [{ id, client: { resultTypes: { task: finisher } } }],
      `Extension "${id}": client.resultTypes has "task", which is not one of its resultTypes`,
    ],
    [
      'with the name of a method that another one has named',
      [
        { id, mcpNames: { 'things/get': 'id' } },
        { id: 'com.example/other', mcpNames: { 'things/get': 'name' } },
      ],
      `Extension "com.example/other": the Mcp-Name of things/get is already used by "${id}"`,
    ],
    ['that stands alone', { id } as never, '"extensions" must be an array of extensions'],
  ])('%s', async (_name, extensions, text) => {
    const script = new Script();
    await expect(connect(script, { profile: PRIOR, extensions })).rejects.toThrow(text);
    expect(script.sent).toEqual([]);
  });
});

test('a result type belongs to the methods that it was declared for', () => {
  const extensions = new Extensions([
    { id, resultTypes: { task: ['tools/call'], bare: ['prompts/get'] }, client: { resultTypes: { task: finisher } } },
  ]);
  expect(extensions.finisherOf('task', 'tools/call')).toBe(finisher);
  expect(extensions.finisherOf('task', 'prompts/get')).toBeUndefined();
  expect(extensions.finisherOf('bare', 'prompts/get')).toBeUndefined();
  expect(extensions.knows('bare', 'prompts/get')).toBe(true);
  expect(extensions.knows('constructor', 'tools/call')).toBe(false);
});

test('a header is a text that HTTP can carry, and nobody else’s', () => {
  const extensions = new Extensions([{ id, mcpNames: { 'things/get': 'thingId' } }]);
  expect(extensions.headers('things/get', { thingId: 'a b' }, undefined)).toEqual({ 'mcp-name': 'a b' });
  expect(extensions.headers('things/get', { thingId: 'ü' }, { 'x-a': '1', 'mcp-name': 'x', 'MCP-Name': 'y' })).toEqual({
    'x-a': '1',
    'mcp-name': '=?base64?w7w=?=',
  });
  const own = { 'x-a': '1' };
  expect(extensions.headers('things/get', { thingId: 5 }, own)).toBe(own);
  expect(extensions.headers('things/list', { thingId: 'a' }, own)).toBe(own);
});

test('without middleware of extensions there is nothing to put together', () => {
  const around: [] = [];
  expect(new Extensions([{ id }]).inside(around)).toBe(around);
});
