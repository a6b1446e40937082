import { describe, expect, test } from 'vitest';
import { REVISIONS, type RevisionFeatures } from '../revisions.ts';
import { decodeResult, initializeParams } from './client.ts';

const featuresNamed = (version: string): RevisionFeatures =>
  REVISIONS.find((features) => features.version === version) as never;
const client = { info: { name: 'c', version: '1' }, capabilities: {}, logLevel: undefined };

test('initialize declares extensions in the revisions that have them', () => {
  const extensions = [
    { definition: { id: 'a.b/c' }, settings: { deep: true } },
    { definition: { id: 'a.b/new', revisions: ['2026-07-28'] as const }, settings: {} },
  ];
  const clientInfo = { name: 'c', version: '1' };
  expect(initializeParams({ ...client, extensions }, featuresNamed('2025-03-26'))).toEqual({
    protocolVersion: '2025-03-26',
    capabilities: { extensions: { 'a.b/c': { deep: true } } },
    clientInfo,
  });
  expect(initializeParams({ ...client, extensions: [] }, featuresNamed('2025-11-25'))).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo,
  });
});

describe('a result with a task in it', () => {
  const task = { taskId: 't', status: 'working' };

  test('is a task in 2025-11-25', () => {
    const result = { task, _meta: {} };
    expect(decodeResult('tools/call', result, featuresNamed('2025-11-25'))).toEqual({
      type: 'other',
      resultType: 'task',
      result,
    });
  });

  test.each([
    ['tools/call', '2025-06-18', { task }],
    ['tools/call', '2024-11-05', { task }],
    ['prompts/get', '2025-11-25', { task }],
    ['tools/call', '2025-11-25', { task, content: [] }],
    ['tools/call', '2025-11-25', { task, structuredContent: {} }],
    ['tools/call', '2025-11-25', { task: 'sweep' }],
  ])('is a complete result otherwise: %s in %s with %j', (method, version, result) => {
    expect(decodeResult(method, result, featuresNamed(version))).toEqual({ type: 'complete', result });
  });
});
