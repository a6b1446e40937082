/**
 * Two servers on version 1 of the official SDK, and the same on this package: the official client gets the same from
 * both. What differs is named here, and in docs/migration.md.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Call, converse, type Received } from './official-client.ts';

/** The tools of a list, without what has no meaning for a client of either server. */
function comparable(tools: Received['tools']): unknown[] {
  return tools.map(({ execution, ...tool }) => {
    // The default of a tool that cannot be a task.
    expect([undefined, { taskSupport: 'forbidden' }]).toContainEqual(execution);
    return {
      ...tool,
      inputSchema: withoutDialect(tool['inputSchema']),
      outputSchema: withoutDialect(tool['outputSchema']),
    };
  });
}

// The schemas use no keyword that differs between the dialects.
function withoutDialect(schema: unknown): unknown {
  const { $schema: _, ...rest } = (schema ?? {}) as Record<string, unknown>;
  return rest;
}

const texts = ({ results }: Received): unknown[] => results.map(({ content }) => content);
const structured = ({ results }: Received): unknown[] => results.map((result) => result['structuredContent']);
const failures = ({ results }: Received): unknown[] => results.map(({ isError = false }) => isError);

describe('a knowledge graph in a file, with nine tools', () => {
  const ada = { name: 'Ada', entityType: 'person', observations: ['Wrote a program'] };
  const engine = { name: 'Engine', entityType: 'machine', observations: [] };
  const designed = { from: 'Babbage', to: 'Engine', relationType: 'designed' };
  const programmed = { from: 'Ada', to: 'Engine', relationType: 'programmed' };
  const calls: readonly Call[] = [
    ['read_graph'],
    ['create_entities', { entities: [ada, engine, { ...ada, name: 'Babbage', observations: [] }] }],
    ['create_entities', { entities: [ada] }],
    ['create_relations', { relations: [programmed, designed] }],
    ['create_relations', { relations: [designed] }],
    ['add_observations', { observations: [{ entityName: 'Ada', contents: ['Wrote a program', 'Was a countess'] }] }],
    ['add_observations', { observations: [{ entityName: 'Grace', contents: ['Was an admiral'] }] }],
    ['search_nodes', { query: 'COUNTESS' }],
    ['open_nodes', { names: ['Babbage', 'Nobody'] }],
    ['open_nodes', { names: [] }],
    ['delete_observations', { deletions: [{ entityName: 'Ada', observations: ['Wrote a program'] }] }],
    ['delete_relations', { relations: [designed] }],
    ['delete_entities', { entityNames: ['Engine'] }],
    ['read_graph', { dummy: true }],
  ];
  let folder = '';
  let official: Received;
  let ours: Received;
  const fileOf = (name: string): string => join(folder, `${name}.jsonl`);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mcpp-migration-'));
    official = await converse('memory-sdk-v1', calls, { MEMORY_FILE_PATH: fileOf('sdk-v1') });
    ours = await converse('memory-mcpp', calls, { MEMORY_FILE_PATH: fileOf('mcpp') });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('serverInfo is the same', () => {
    expect(official.serverInfo).toMatchObject({ name: 'memory-server', version: '0.6.3' });
    expect(ours.serverInfo).toEqual(official.serverInfo);
  });

  test('names, titles, descriptions, schemas and annotations of the tools are the same', () => {
    expect(ours.tools).toHaveLength(9);
    expect(comparable(ours.tools)).toEqual(comparable(official.tools));
  });

  test('the official server fails where the conversation means it to, and only there', () => {
    const expected = calls.map(([, args]) => JSON.stringify(args ?? {}).includes('Grace'));
    expect(failures(official)).toEqual(expected);
    expect(official.results[6]).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'Entity with name Grace not found' }],
    });
  });

  test('all results are the same: texts, structured content and isError', () => {
    expect(texts(ours)).toEqual(texts(official));
    expect(structured(ours)).toEqual(structured(official));
    expect(failures(ours)).toEqual(failures(official));
  });

  test('the file is the same, and either server reads what the other one wrote', async () => {
    expect(readFileSync(fileOf('mcpp'), 'utf8')).toBe(readFileSync(fileOf('sdk-v1'), 'utf8'));
    const again = await converse('memory-mcpp', [['read_graph']], { MEMORY_FILE_PATH: fileOf('sdk-v1') });
    expect(again.results).toEqual([official.results.at(-1)]);
  });
});

describe('one tool with many optional arguments, and state in the process', () => {
  const first = { thought: 'Count the cases', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 };
  const calls: readonly Call[] = [
    ['sequentialthinking', first],
    ['sequentialthinking', { ...first, thoughtNumber: 3, style: 'long' }],
    ['sequentialthinking', { ...first, thoughtNumber: 2, isRevision: true, revisesThought: 1 }],
    ['sequentialthinking', { ...first, isRevision: true, revisesThought: 9 }],
    ['sequentialthinking', { ...first, thoughtNumber: 4, branchFromThought: 2, branchId: 'by-induction' }],
    ['sequentialthinking', { ...first, branchFromThought: 2 }],
    ['sequentialthinking', { ...first, thoughtNumber: 5, needsMoreThoughts: true, nextThoughtNeeded: false }],
    ['sequentialthinking', { ...first, nextThoughtNeeded: 'false', unknown: 'ignored' }],
  ];
  const refused: readonly Call[] = [
    ['sequentialthinking', {}],
    ['sequentialthinking', { ...first, thoughtNumber: 0 }],
    ['sequentialthinking', { ...first, nextThoughtNeeded: 'yes' }],
    ['sequentialthinking', { ...first, style: 'loud' }],
    ['sequentialthinking', { ...first, revisesThought: null }],
  ];
  let official: Received;
  let ours: Received;

  beforeAll(async () => {
    official = await converse('thinking-sdk-v1', [...calls, ...refused, ['sequentialthinking', first], ['unknown']]);
    ours = await converse('thinking-mcpp', [...calls, ...refused, ['sequentialthinking', first], ['unknown']]);
  });
  const answered = ({ results }: Received): unknown[] => results.slice(0, calls.length);
  const ofRefused = ({ results }: Received): readonly Record<string, unknown>[] =>
    results.slice(calls.length, calls.length + refused.length);

  test('serverInfo and instructions are the same', () => {
    expect(official.instructions).toBe('Use it for problems that take several steps.');
    expect([ours.serverInfo, ours.instructions]).toEqual([official.serverInfo, official.instructions]);
  });

  test('the tool is listed the same: title, description, schemas with defaults and enums, annotations', () => {
    expect(ours.tools).toHaveLength(1);
    expect(comparable(ours.tools)).toEqual(comparable(official.tools));
  });

  test('all results are the same, with the state of the calls before, and so is the error', () => {
    expect(official.results[3]).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'Thought 9 cannot be revised: there are 3 thoughts' }],
    });
    expect(official.results[4]).toMatchObject({
      structuredContent: { branches: ['by-induction'], thoughtHistoryLength: 4 },
    });
    expect(answered(ours)).toEqual(answered(official));
  });

  test('the same arguments are refused, with isError, and change nothing', () => {
    expect(ofRefused(official).map(({ isError }) => isError)).toEqual(refused.map(() => true));
    expect(ofRefused(ours).map(({ isError }) => isError)).toEqual(refused.map(() => true));
    const after = calls.length + refused.length;
    expect(official.results[after]).toMatchObject({ structuredContent: { thoughtHistoryLength: 8 } });
    expect(ours.results[after]).toEqual(official.results[after]);
  });

  test('the texts of refused arguments differ: the path before the problem here, after it and a prefix there', () => {
    const [, officialText] = ofRefused(official).map(textOf);
    const [, ourText] = ofRefused(ours).map(textOf);
    const tool = 'Invalid arguments for tool sequentialthinking:';
    const problem = 'Too small: expected number to be >=1';
    expect(officialText).toBe(`MCP error -32602: Input validation error: ${tool} ${problem} at thoughtNumber`);
    expect(ourText).toBe(`${tool} /thoughtNumber ${problem}`);
  });

  test('an unknown tool differs: the error -32602 of the specification here, a result with isError there', () => {
    expect(official.results.at(-1)).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'MCP error -32602: Tool unknown not found' }],
    });
    expect(ours.results.at(-1)).toEqual({ code: -32602, message: 'MCP error -32602: Unknown tool: unknown' });
  });

  test('capabilities differ: log messages are declared here', () => {
    expect(official.capabilities).toEqual({ tools: { listChanged: true } });
    expect(ours.capabilities).toEqual({ tools: { listChanged: true }, logging: {} });
  });
});

function textOf({ content }: Record<string, unknown>): string {
  const [first] = content as { text: string }[];
  return first?.text ?? '';
}
