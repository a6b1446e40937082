/** What the compiler says of wrong calls, and under which of its settings right ones compile. */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const HEAD = `
import { McpServer, defineTool } from 'mcpp/server';
import { connect, type Connection, type RequestOptions } from 'mcpp/client';
import { testClient } from 'mcpp/testing';
import { z } from 'zod';

const server = new McpServer({ name: 'types', version: '1.0.0' })
  .registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ sum: a + b }),
  )
  .registerTool(
    'find',
    { inputSchema: { type: 'object', properties: { unit: { enum: ['m', 's'] }, limit: { type: 'integer' } } } },
    () => 'x',
  )
  .registerTools({ now: defineTool({}, () => 'now') });
export const mcp = await connect<typeof server>(server);
`;

/** Calls, each with what the compiler says: where it points (the text from there on) and its words. */
const WRONG: readonly (readonly [call: string, at: string, says: RegExp])[] = [
  [`mcp.callTool('ad', { a: 1, b: 2 })`, `'ad'`, /"add" \| "find" \| "now"/],
  [`mcp.callTool('noww')`, `'noww'`, /"add" \| "find" \| "now"/],
  [`mcp.callTool('add')`, 'callTool', /Expected 2-3 arguments, but got 1/],
  [`mcp.callTool('add', { a: 1 })`, '{ a: 1 }', /^Property 'b' is missing in type '{ a: number; }'/],
  [`mcp.callTool('add', { a: 1, b: 'x' })`, `b: 'x'`, /^Type 'string' is not assignable to type 'number'\.$/],
  [`mcp.callTool('add', { a: 1, b: 2, c: 3 })`, 'c: 3', /'c' does not exist in type '{ a: number; b: number; }'/],
  [`mcp.callTool('find', { unit: 'km' })`, `unit: 'km'`, /'"km"' is not assignable to type '"m" \| "s" \| undefined'/],
  [`mcp.callTool('now', { zone: 'x' })`, `zone: 'x'`, /'zone' does not exist in type 'NoArguments'/],
  [`mcp.callTool('now', {}, { timout: 1 })`, 'timout: 1', /Did you mean to write 'timeout'/],
  [`(await connect<{}>(server)).callTool('x')`, `'x'`, /not assignable to parameter of type 'NoTools'/],
  [
    `(await mcp.callTool('add', { a: 1, b: 2 })).structuredContent.sum`,
    `(await mcp.callTool`,
    /^Object is of type 'unknown'\.$/,
  ],
  [
    `((other: Connection<{ sub: {} }>) => other)(mcp)`,
    'mcp)',
    /is not assignable to parameter of type 'Connection<\{ sub: \{\}; \}>'/,
  ],
];

const RIGHT = `${HEAD}
const limit = undefined as number | undefined;
const options = undefined as RequestOptions | undefined;
export const any: Connection = mcp;
await mcp.callTool('find', { limit, unit: undefined }, options);
await mcp.callTool('find', undefined, { signal: options?.signal });
await mcp.callTool('find', { unit: 'm' } as const);
await any.callTool('find', { limit }, options);
// What is exported must have types that other packages can name.
export const tested = await testClient<typeof server>(server);
export const result = await tested.callTool('add', { a: 1, b: 2 });
export const sum: number | undefined = result.isError ? undefined : result.structuredContent.sum;
`;

const SETTINGS = [
  { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  { strict: true },
  { strict: true, module: 'esnext', moduleResolution: 'bundler', declaration: true },
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpp-client-types-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const installed = (name: string): string => join(folder, 'node_modules', name);
  mkdirSync(installed('mcpp'), { recursive: true });
  for (const name of ['zod', '@types']) symlinkSync(join(root, 'node_modules', name), installed(name), 'junction');
  cpSync(join(root, 'package.json'), join(installed('mcpp'), 'package.json'));
  const filter = (path: string): boolean => path.endsWith('.d.ts') || statSync(path).isDirectory();
  cpSync(join(root, 'dist'), join(installed('mcpp'), 'dist'), { recursive: true, filter });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compiles a program and gives what the compiler says, one message per line. */
function compile(name: string, program: string, settings: object): Promise<string[]> {
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023'],
    types: ['node'],
    module: 'nodenext',
    noEmit: true,
    ...settings,
  };
  writeFileSync(join(folder, `${name}.ts`), program);
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', `${name}.json`, '--pretty', 'false'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_error, output) =>
      resolve(output.split('\n').filter((line) => line !== '')),
    );
  });
}

describe('a wrong call', () => {
  let lines: string[];
  let said: Map<number, { readonly column: number; readonly text: string }[]>;

  beforeAll(async () => {
    const program = `${HEAD}${WRONG.map(([call]) => `${call};`).join('\n')}\n`;
    lines = program.split('\n');
    said = new Map();
    for (const message of await compile('wrong', program, { strict: true, exactOptionalPropertyTypes: true })) {
      const [, line, column, text = ''] = /^wrong\.ts\((\d+),(\d+)\): error TS\d+: (.*)$/.exec(message) ?? [];
      if (line) said.set(Number(line), [...(said.get(Number(line)) ?? []), { column: Number(column), text }]);
    }
  });

  test.each(WRONG)('%s', (call, at, says) => {
    const line = lines.indexOf(`${call};`) + 1;
    const found = (said.get(line) ?? []).map(({ column, text }) => ({
      at: lines[line - 1]?.slice(column - 1, column - 1 + at.length),
      text,
    }));
    expect(found).toEqual([{ at, text: expect.stringMatching(says) }]);
  });
});

test.each(SETTINGS.map((settings) => [settings]))('right calls compile with %j', async (settings) => {
  expect(await compile(`right-${SETTINGS.indexOf(settings)}`, RIGHT, settings)).toEqual([]);
});
