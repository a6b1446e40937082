/** Keeps the rooms of `src/` apart: who may import whom, and what no source file may do. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Code, importsOf, readCode } from './source-code.ts';

const foundation = ['timing', 'jsonrpc'];
const middle = [...foundation, 'protocol', 'schema', 'store'];
const sides = [...middle, 'server', 'client'];

/** The rooms, and which others each may import from. */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map([
  ['timing', []],
  ['jsonrpc', ['timing']],
  ['protocol', foundation],
  ['schema', foundation],
  ['store', foundation],
  ['server', middle],
  ['client', middle],
  ['transport', sides],
  ['auth', sides],
  ['entries', [...sides, 'transport', 'auth']],
  ['cli', ['entries', 'timing']],
  ['extensions', ['entries', 'timing']],
  ['testing', ['entries', 'timing']],
]);

/** Their entries, `entries/testing.ts` or `entries/extensions/tasks.ts`, are the one place that sees them. */
const BEHIND_AN_ENTRY = ['extensions', 'testing'];

/** Where Node's own modules may be used: everything else runs in a Worker too. */
const ON_NODE =
  /^(cli\/|client\/node-|auth\/client\/node-|extensions\/skills\/node-|transport\/stdio\/|transport\/websocket\/node-|transport\/http\/(client\/send-node|server\/node-))/;
/** Who may write to stdout: the transport it belongs to, and commands for people. */
const OWNS_STDOUT = /^(cli|transport\/stdio)\//;
/** The one file that has the JSON Schema engine. */
const ENGINE = 'schema/check/engine.ts';
/** The files with a dependency, which the build bundles into each. */
const BUNDLED: ReadonlyMap<string, string> = new Map([
  [ENGINE, 'typebox'],
  ['transport/stdio/cross-spawn.ts', 'cross-spawn'],
  ['transport/http/client/event-parser.ts', 'eventsource-parser'],
  ['extensions/skills/yaml.ts', 'yaml'],
]);

/** What package.json's "imports" resolves by runtime. */
const CONDITIONAL: ReadonlySet<string> = new Set([
  '#child-transport',
  '#send-request',
  '#web-socket',
  '#web-socket-server',
  '#auth-send',
  '#auth-browser',
  '#auth-file-store',
  '#skill-folder',
]);
/** Where the optional peer dependency may be used. */
const PEER = /^transport\/websocket\/node-/;
/** The dependencies, which are for one room: whoever needs no authorization loads neither. */
const AUTH_ONLY: ReadonlySet<string> = new Set(['jose', 'oauth4webapi']);

/** Every `import()`, and why the module is not loaded at import. */
const ON_DEMAND: ReadonlyMap<string, 'an engine' | 'a runtime' | 'an optional peer'> = new Map([
  ['schema/check/engine-loader.ts: ./engine.ts', 'an engine'],
  ['extensions/skills/frontmatter.ts: ./yaml.ts', 'an engine'],
  ['extensions/skills/server.ts: #skill-folder', 'a runtime'],
  ['auth/client/oauth.ts: #auth-browser', 'a runtime'],
  ['auth/client/file-store.ts: #auth-file-store', 'a runtime'],
  ['auth/client/node-send.ts: node:dns/promises', 'a runtime'],
  ['client/node-proxy.ts: node:http', 'a runtime'],
  ['client/node-proxy.ts: node:https', 'a runtime'],
  ['entries/client.ts: #child-transport', 'a runtime'],
  ['entries/client.ts: ../transport/http/client/old-transport.ts', 'a runtime'],
  ['entries/client.ts: ../transport/http/client/transport.ts', 'a runtime'],
  ['transport/websocket/node-ws.ts: ws', 'an optional peer'],
]);

const MAX_LINES = 400;

/** What is wrong with a set of source files, by path below `src/`; each line names the file and the rule. */
function faultsOf(sources: Readonly<Record<string, string>>): string[] {
  const files = new Map(Object.entries(sources).map(([path, source]) => [path, readCode(source)]));
  const faults = [...files].flatMap(([path, code]) => [
    ...importFaults(path, code, files),
    ...contentFaults(path, code),
  ]);
  return [...faults, ...cyclesOf(files)];
}

function importFaults(path: string, code: Code, files: ReadonlyMap<string, Code>): string[] {
  const room = roomOf(path);
  const allowed = MAY_IMPORT.get(room);
  if (!allowed) return [`${path}: "${room}" is not one of the rooms`];
  return importsOf(code).flatMap(({ specifier, isType, isDynamic }) => {
    const says = (rule: string): string[] => [`${path}: imports ${specifier ?? 'something unnamed'}: ${rule}`];
    if (specifier === undefined) return says('an import() needs a literal');
    if (specifier.startsWith('node:'))
      return ON_NODE.test(path) ? [] : says('node: modules are for files that only Node loads');
    if (CONDITIONAL.has(specifier)) return [];
    if (specifier === 'ws')
      return PEER.test(path) ? [] : says('it is an optional peer, for the WebSocket transport only');
    if (AUTH_ONLY.has(specifier)) return room === 'auth' ? [] : says('it is for auth only');
    if (!specifier.startsWith('.')) {
      const bundled = BUNDLED.get(path);
      const isBundled = bundled !== undefined && (specifier === bundled || specifier.startsWith(`${bundled}/`));
      return isBundled ? [] : says('only a file that the build bundles has a dependency, its own');
    }
    const target = resolve(path, specifier);
    if (!files.has(target)) return says('there is no such source file');
    if (target === ENGINE && !isDynamic && !isType) return says('the engine is loaded by import() only');
    const to = roomOf(target);
    const ownEntry = BEHIND_AN_ENTRY.includes(to) && new RegExp(`^entries/${to}(/[^/]+)?\\.ts$`).test(path);
    return to === room || allowed.includes(to) || ownEntry ? [] : says(`${room} may not import ${to}`);
  });
}

function contentFaults(path: string, { code, lines }: Code): string[] {
  const rules: readonly (readonly [broken: boolean, rule: string])[] = [
    [lines > MAX_LINES, `${lines} lines: more than ${MAX_LINES} are two files`],
    [/\bexport\s*\*/.test(code), 'export *: names are listed one by one'],
    [/\bexport\s+default\b|\bas\s+default\b/.test(code), 'export default: everything has a name'],
    [
      /\bexport\b[^;'"()=]*\bfrom\s*['"]/.test(code) && roomOf(path) !== 'entries',
      'export from: only entries re-export',
    ],
    [hasTopLevelAwait(code), 'await at the top level: require() of the package would fail'],
    [
      /\bconsole\s*\.\s*(?!error\b|warn\b)/.test(code) && !OWNS_STDOUT.test(path),
      'console: stdout carries the protocol',
    ],
    [/\bprocess\s*\??\.\s*stdout\b/.test(code) && !OWNS_STDOUT.test(path), 'process.stdout: it carries the protocol'],
  ];
  return rules.filter(([broken]) => broken).map(([, rule]) => `${path}: ${rule}`);
}

/** Every way in a circle, types included, once. */
function cyclesOf(files: ReadonlyMap<string, Code>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const code = files.get(path);
    if (!code || done.has(path)) return;
    if (trail.includes(path)) {
      cycles.push(`${path}: imports in a circle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
      return;
    }
    for (const { specifier } of importsOf(code)) {
      if (specifier?.startsWith('.')) visit(resolve(path, specifier), [...trail, path]);
    }
    done.add(path);
  };
  for (const path of files.keys()) visit(path, []);
  return cycles;
}

/** An `await` is inside of a function if what comes before one of the braces around it, or before itself, says `async`. */
function hasTopLevelAwait(code: string): boolean {
  const around: { header: string; start: number }[] = [];
  let start = 0;
  for (const { 0: token, index } of code.matchAll(/[{};]|\bawait\b/g)) {
    const header = code.slice(start, index);
    if (token === 'await') {
      if (!/\basync\b/.test(header) && !around.some((one) => /\basync\b/.test(one.header))) return true;
    } else if (token === '{') {
      around.push({ header, start });
      start = index + 1;
    } else {
      const opened = token === '}' ? around.pop() : undefined;
      // After `({ a }` or `Promise<{ a: 1 }` the same header goes on.
      start = opened && /^\s*[),=:>.|&\]]/.test(code.slice(index + 1)) ? opened.start : index + 1;
    }
  }
  return false;
}

function roomOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

function resolve(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}

describe('the finder', () => {
  const a = 'export const a = 1;';

  test('finds imports that point up or sideways, in whatever form', () => {
    const bad: readonly (readonly [path: string, code: string, target: string])[] = [
      ['timing/x.ts', "import { a } from '../jsonrpc/a.ts';", 'jsonrpc/a.ts'],
      ['jsonrpc/x.ts', "import { a } from '../protocol/a.ts';", 'protocol/a.ts'],
      ['protocol/x.ts', "import type { A } from '../schema/a.ts';", 'schema/a.ts'],
      ['store/x.ts', "import {\n  a,\n} from '../protocol/a.ts';", 'protocol/a.ts'],
      ['server/x.ts', "const load = () => import('../client/a.ts');", 'client/a.ts'],
      ['client/x.ts', "type A = import('../server/a.ts').A;", 'server/a.ts'],
      ['transport/x.ts', "import '../auth/a.ts';", 'auth/a.ts'],
      ['auth/x.ts', 'import * as a from "../transport/a.ts";', 'transport/a.ts'],
      ['testing/x.ts', "import { a } from '../server/a.ts';", 'server/a.ts'],
      ['entries/server.ts', "export { a } from '../testing/a.ts';", 'testing/a.ts'],
    ];
    for (const [path, code, target] of bad) {
      const [from, to] = [roomOf(path), roomOf(target)];
      expect(faultsOf({ [path]: code, [target]: a })).toEqual([
        `${path}: imports ../${target}: ${from} may not import ${to}`,
      ]);
    }
  });

  test('lets imports point down, and an entry see what is behind it', () => {
    const good = {
      'timing/a.ts': a,
      'jsonrpc/a.ts': "import { a } from '../timing/a.ts';",
      'protocol/model/a.ts': "import { a } from '../../jsonrpc/a.ts';",
      'server/a.ts': "import type { A } from '../protocol/model/a.ts'; import { b } from './b.ts';",
      'server/b.ts': a,
      'entries/server.ts': "export { a } from '../server/a.ts';",
      'testing/a.ts': "import { a } from '../entries/server.ts'; import { b } from '../timing/a.ts';",
      'entries/testing.ts': "export { a } from '../testing/a.ts';",
    };
    expect(faultsOf(good)).toEqual([]);
  });

  test('finds a circle of files, also through types and import()', () => {
    const circle = {
      'server/a.ts': "import { b } from './b.ts';",
      'server/b.ts': "import type { C } from './c.ts';",
      'server/c.ts': "const load = () => import('./a.ts');",
    };
    expect(faultsOf(circle)).toEqual([
      'server/a.ts: imports in a circle: server/a.ts -> server/b.ts -> server/c.ts -> server/a.ts',
    ]);
  });

  test('finds what no source file may do', () => {
    const bad: readonly (readonly [code: string, rule: string])[] = [
      ["import { readFile } from 'node:fs';", 'imports node:fs: node: modules are for files that only Node loads'],
      [
        "import type { Readable } from 'node:stream';",
        'imports node:stream: node: modules are for files that only Node loads',
      ],
      ["import { z } from 'zod';", 'imports zod: only a file that the build bundles has a dependency, its own'],
      [
        "import { Check } from 'typebox/schema';",
        'imports typebox/schema: only a file that the build bundles has a dependency, its own',
      ],
      ["import { jwtVerify } from 'jose';", 'imports jose: it is for auth only'],
      ["import { a } from './gone.ts';", 'imports ./gone.ts: there is no such source file'],
      ['const load = (name: string) => import(name);', 'imports something unnamed: an import() needs a literal'],
      ["export * from './x.ts';", 'export *: names are listed one by one'],
      ['export default 1;', 'export default: everything has a name'],
      ['const a = 1;\nexport { a as default };', 'export default: everything has a name'],
      ["export { a } from './x.ts';", 'export from: only entries re-export'],
      ['const a = await b;', 'await at the top level: require() of the package would fail'],
      [
        'async function f({ a }: { a: 1 }) {}\nif (a) { await f(); }',
        'await at the top level: require() of the package would fail',
      ],
      ["console.log('x');", 'console: stdout carries the protocol'],
      ["process.stdout.write('x');", 'process.stdout: it carries the protocol'],
      ['\n'.repeat(MAX_LINES + 1), `${MAX_LINES + 1} lines: more than ${MAX_LINES} are two files`],
    ];
    for (const [code, rule] of bad) expect(faultsOf({ 'server/x.ts': code })).toContain(`server/x.ts: ${rule}`);
    expect(faultsOf({ 'shared/x.ts': a })).toEqual(['shared/x.ts: "shared" is not one of the rooms']);
  });

  test('finds that the engine is not waited for at start-up', () => {
    const engine = { 'schema/check/engine.ts': "import { Check } from 'typebox/schema';" };
    const imported = { ...engine, 'schema/check/x.ts': "import { compile } from './engine.ts';" };
    expect(faultsOf(imported)).toEqual([
      'schema/check/x.ts: imports ./engine.ts: the engine is loaded by import() only',
    ]);
    const loaded = {
      ...engine,
      'schema/check/x.ts': "import type { A } from './engine.ts'; const b = () => import('./engine.ts');",
    };
    expect(faultsOf(loaded)).toEqual([]);
  });

  test('is not taken in by comments, strings, templates and patterns', () => {
    const good = [
      "// import { a } from '../client/a.ts';",
      "/* export default 1; console.log('x') */",
      "const text = \"import { a } from '../client/a.ts'; export * from 'x'\";",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source code with a template in it
      'const nested = `await ${`process.stdout ${async () => await a}`} export default`;',
      'const pattern = /["\'`]console.log(/; const next = 4 / 2;',
      'const f = async ({ a }: { a: 1 }): Promise<{ b: 1 }> => { if (a) { await g(a); } };',
      'class A { async b(): Promise<void> { for (const c of d) { await c; } } }',
    ];
    expect(faultsOf({ 'server/x.ts': good.join('\n') })).toEqual([]);
  });
});

/** The source files, by path below `src/`. */
function sourceFiles(): Readonly<Record<string, string>> {
  const src = fileURLToPath(new URL('../src/', import.meta.url));
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(src, path), 'utf8')]));
}

test('every source file keeps the rules of its room', () => {
  const sources = sourceFiles();
  expect(Object.keys(sources)).toContain('entries/server.ts');
  expect(faultsOf(sources)).toEqual([]);
});

test('every module that is loaded on demand has a reason, and no other is', () => {
  const found = Object.entries(sourceFiles()).flatMap(([path, source]) =>
    importsOf(readCode(source))
      .filter(({ isDynamic, isType }) => isDynamic && !isType)
      .map(({ specifier }) => `${path}: ${specifier}`),
  );
  expect([...new Set(found)].sort()).toEqual([...ON_DEMAND.keys()].sort());
});
