// Checks the package as users get it: packs it, unpacks it into an empty project, and imports, compiles and runs it there.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';
import { disagreements, packagesInCode } from './bundled-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (path) => join(root, 'node_modules', path);
const folder = mkdtempSync(join(tmpdir(), 'mcpp-package-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const consumer = join(folder, 'consumer');
const installed = join(consumer, 'node_modules/mcpp');

/** Runs a program; what it printed is told only if it failed. */
function run(file, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: consumer, encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

const node = (...args) => run(process.execPath, args);

function write(path, text) {
  mkdirSync(dirname(join(consumer, path)), { recursive: true });
  writeFileSync(join(consumer, path), text);
}

function assert(holds, message) {
  if (!holds) throw new Error(message);
}

async function check(what, body) {
  try {
    await body();
    console.log(`ok      ${what}`);
  } catch (error) {
    console.log(`FAILED  ${what}\n${error.message.replaceAll(/^/gm, '        ')}`);
    process.exitCode = 1;
  }
}

const MAX_TARBALL_KB = 1024;
const MAX_DOCS_KB = 512;

/** What is for authorization, and loaded by nothing else. */
const DEPENDENCIES = ['jose', 'oauth4webapi'];

function packAndInstall() {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-changed'], { stdio: 'inherit' });
  // The build has just run; as a script of `npm pack` it would print into the answer.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const shell = process.platform === 'win32';
  const [{ filename, files }] = JSON.parse(run('npm', args, { cwd: root, shell, stdio: ['ignore', 'pipe', 'pipe'] }));
  mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  for (const name of [...DEPENDENCIES, 'zod', '@types/node', 'undici-types']) {
    mkdirSync(dirname(join(consumer, 'node_modules', name)), { recursive: true });
    symlinkSync(bin(name), join(consumer, 'node_modules', name), 'junction');
  }
  write('package.json', '{ "type": "module", "private": true }');
  return { tarball: join(folder, filename), paths: files.map(({ path }) => path) };
}

const { tarball, paths } = packAndInstall();
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
const entries = Object.keys(manifest.exports)
  .filter((path) => path !== './package.json')
  .map((path) => manifest.name + path.slice(1));

await check('publint, strict', () => node(bin('publint/src/cli.js'), 'run', tarball, '--strict'));
await check('are the types wrong, for ESM', () =>
  node(bin('@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'esm-only', '--no-definitely-typed'),
);

await check(`${paths.length} files: the build, the documentation, the licences, and nothing else`, () => {
  const wanted = [
    'package.json',
    'README.md',
    'LICENSE',
    'THIRD-PARTY-NOTICES.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'llms.txt',
    'dist/sbom.cdx.json',
    'docs/server.md',
    'docs/guide/authorization.md',
  ];
  const isBuilt = /^dist\/[\w./-]+\.(js|d\.ts)$/;
  const isDocs = /^docs\/[\w/-]+\.(md|svg)$/;
  const strange = paths.filter((path) => !wanted.includes(path) && !isBuilt.test(path) && !isDocs.test(path));
  const tests = paths.filter((path) => /(^|\/)(src|test|fixtures)\/|\.test\./.test(path));
  assert(strange.length + tests.length === 0, `not for users: ${[...strange, ...tests].join(', ')}`);
  for (const path of wanted) assert(paths.includes(path), `${path} is missing`);
});

await check(`the tarball has at most ${MAX_TARBALL_KB} KB, and the documentation ${MAX_DOCS_KB} KB`, () => {
  const kilobytes = (files) => Math.ceil(files.reduce((sum, file) => sum + statSync(file).size, 0) / 1024);
  const docs = paths.filter((path) => /^(docs\/|llms\.txt$)/.test(path)).map((path) => join(installed, path));
  assert(kilobytes([tarball]) <= MAX_TARBALL_KB, `the tarball has ${kilobytes([tarball])} KB`);
  assert(kilobytes(docs) <= MAX_DOCS_KB, `the documentation has ${kilobytes(docs)} KB`);
});

await check('no script that npm runs where the package is installed', () => {
  const run = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare', 'dependencies'];
  const found = run.filter((name) => manifest.scripts?.[name] !== undefined);
  assert(found.length === 0, `package.json has ${found.join(', ')}`);
});

await check('homepage, repository and bugs; RELEASING.md names the placeholder in them', () => {
  const { homepage, repository, bugs } = manifest;
  for (const url of [homepage, repository?.url, bugs?.url]) {
    const place = /^(?:git\+)?https:\/\/github\.com\/([\w-]+)\/mcpp/.exec(url ?? '');
    assert(place, `${url} is no address of the repository`);
    const releasing = readFileSync(join(root, 'RELEASING.md'), 'utf8');
    assert(place[1] !== 'OWNER' || releasing.includes('`OWNER`'), 'RELEASING.md does not name the placeholder OWNER');
  }
});

await check('no path of the machine that built it', () => {
  const local = [root, homedir() + sep, tmpdir() + sep];
  const shown = paths.filter((path) => {
    const text = readFileSync(join(installed, path), 'utf8');
    return local.some((each) => text.includes(each));
  });
  assert(shown.length === 0, `found in ${shown.join(', ')}`);
});

await check('two dependencies, which have none themselves, and no peer that is needed', () => {
  const kinds = ['optionalDependencies', 'bundleDependencies', 'bundledDependencies'];
  const found = kinds.filter((kind) => manifest[kind] !== undefined);
  assert(found.length === 0, `package.json has ${found.join(', ')}`);
  assert(Object.keys(manifest.dependencies).join() === DEPENDENCIES.join(), 'package.json has other dependencies');
  for (const name of DEPENDENCIES) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(bin(name), 'package.json'), 'utf8'));
    assert(Object.keys(dependencies).length === 0, `${name} has dependencies`);
  }
  const needed = Object.keys(manifest.peerDependencies ?? {}).filter(
    (name) => !manifest.peerDependenciesMeta?.[name]?.optional,
  );
  assert(needed.length === 0, `${needed.join(', ')} must be optional`);
});

const codeFiles = new Map(
  paths.filter((path) => path.endsWith('.js')).map((path) => [path, readFileSync(join(installed, path), 'utf8')]),
);

/** Version, licence and licence file of a package in node_modules. */
function installedPackage(name) {
  const { version, license } = JSON.parse(readFileSync(join(bin(name), 'package.json'), 'utf8'));
  const file = readdirSync(bin(name)).find((path) => /^licen[cs]e/i.test(path));
  return { version, licence: license, text: readFileSync(join(bin(name), file), 'utf8').trim() };
}

await check('notices, banners and SBOM name the packages that are bundled, with versions and licences', () => {
  const found = disagreements({
    files: codeFiles,
    notices: readFileSync(join(installed, 'THIRD-PARTY-NOTICES.md'), 'utf8'),
    sbom: JSON.parse(readFileSync(join(installed, 'dist/sbom.cdx.json'), 'utf8')),
    manifest,
    installed: installedPackage,
  });
  assert(found.length === 0, found.join('\n'));
});

const namesIn = {};
await check(`import of ${entries.join(', ')}`, () => {
  for (const entry of entries) {
    write('names.mjs', `import * as all from '${entry}'; console.log(Object.keys(all).sort().join());`);
    namesIn[entry] = node('names.mjs').trim();
    assert(namesIn[entry] !== '', `${entry} exports nothing`);
  }
});

await check(`require() of ${entries.join(', ')}`, () => {
  for (const entry of entries) {
    write('names.cjs', `console.log(Object.keys(require('${entry}')).sort().join());`);
    const names = node('names.cjs').trim();
    assert(names === namesIn[entry], `${entry}: ${names} instead of ${namesIn[entry]}`);
  }
});

await check('an error of another copy of the package is known as ours', () => {
  run('tar', ['-xzf', tarball, '-C', folder]);
  const copy = new URL(`file://${join(folder, 'package/dist/entries/mcpp.js')}`).href;
  write(
    'copies.mjs',
    `import { isMcpError, RpcError } from 'mcpp';
     const other = await import('${copy}');
     if (other.RpcError === RpcError) throw new Error('There is only one copy');
     if (!isMcpError(other.RpcError.invalidParams('x'))) throw new Error('isMcpError says no');`,
  );
  node('copies.mjs');
});

const consumerSource = `${entries.map((entry, index) => `import * as entry${index} from '${entry}';`).join('\n')}
import { defineTool, McpServer } from 'mcpp/server';
import { z } from 'zod';

export const all = [${entries.map((_, index) => `entry${index}`).join(', ')}].length;
export const now = defineTool({}, () => 'now');
export const server = new McpServer({ name: 'consumer', version: '1.0.0' })
  .registerTool('zod', { inputSchema: z.object({ a: z.string() }), outputSchema: z.object({ n: z.number() }) }, ({ a }) => ({ n: a.length }))
  .registerTool('json', { inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } }, ({ a }) => a.trim())
  .registerTools({ now });
export type Names = keyof typeof server.$tools;
`;

function typeCheck(file, options) {
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    ...options,
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
  node(bin('typescript/bin/tsc'), '-p', 'tsconfig.json');
}

const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
write('consumer.mts', consumerSource);
write('consumer.cts', consumerSource);
write(
  'web.mts',
  `import * as mcpp from 'mcpp';
   import * as client from 'mcpp/client';
   import * as server from 'mcpp/server';
   import * as testing from 'mcpp/testing';
   import * as authClient from 'mcpp/auth/client';
   import * as authServer from 'mcpp/auth/server';
   import * as apps from 'mcpp/extensions/apps';
   import * as skills from 'mcpp/extensions/skills';
   import * as tasks from 'mcpp/extensions/tasks';
   export { apps, authClient, authServer, client, mcpp, server, skills, tasks, testing };`,
);

await check('types: nodenext, ESM', () => typeCheck('consumer.mts', { ...nodenext, noEmit: true }));
await check('types: nodenext, CommonJS', () => typeCheck('consumer.cts', { ...nodenext, noEmit: true }));
await check('types: bundler', () => typeCheck('consumer.mts', { ...bundler, noEmit: true }));
await check('types: bundler, without the types of Node', () =>
  typeCheck('web.mts', { ...bundler, lib: ['ES2023', 'DOM'], types: [], noEmit: true }),
);
await check('types: an exported server has a declaration, which says nothing of schemas', () => {
  typeCheck('consumer.mts', { ...nodenext, declaration: true, emitDeclarationOnly: true, outDir: 'out' });
  const declared = readFileSync(join(consumer, 'out/consumer.d.mts'), 'utf8');
  const server = declared.slice(declared.indexOf('const server'));
  assert(/ToolType<\{\s*a: string;\s*\}, \{\s*n: number;\s*\}>/.test(server), `it says:\n${server}`);
  assert(!server.includes('Zod'), `it says:\n${server}`);
});

await check('a plain JSON Schema is enforced, by the bundled engine', () => {
  write(
    'engine.mjs',
    `import { McpServer } from 'mcpp/server';
     import { testClient } from 'mcpp/testing';
     const inputSchema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
     const server = new McpServer({ name: 's', version: '1' }).registerTool('half', { inputSchema }, ({ n }) => n / 2);
     const client = await testClient(server);
     const good = await client.callTool('half', { n: 4 });
     const bad = await client.callTool('half', { n: 0 });
     await client.close();
     console.log(JSON.stringify({ good, bad }));`,
  );
  const { good, bad } = JSON.parse(node('engine.mjs'));
  assert(good.content[0].text === '2', `{ n: 4 } gives ${JSON.stringify(good)}`);
  assert(
    bad.isError === true && /Invalid arguments/.test(bad.content[0].text),
    `{ n: 0 } gives ${JSON.stringify(bad)}`,
  );
  assert(existsSync(join(installed, 'dist/schema/check/engine.js')), 'dist/schema/check/engine.js is missing');
});

await check('what is bundled is imported by nothing', () => {
  const bundled = [...new Set([...codeFiles.values()].flatMap(packagesInCode))];
  assert(bundled.length > 0, 'no bundled package was found');
  const names = `['"](?:${bundled.join('|')})['"/]`;
  const isImport = new RegExp(`^(?:import|export)\\b.*${names}|import\\(${names}`, 'm');
  const importing = [...codeFiles].filter(([, text]) => isImport.test(text)).map(([path]) => path);
  assert(importing.length === 0, `it is imported by ${importing.join(', ')}`);
});

await check('a folder of skills is served, by the bundled reader of YAML', () => {
  write('skills/greeting/SKILL.md', '---\nname: greeting\ndescription: Greet people\n---\nSay hello.\n');
  write(
    'skills.mjs',
    `import { openSkill, skills } from 'mcpp/extensions/skills';
     import { McpServer } from 'mcpp/server';
     import { testClient } from 'mcpp/testing';
     const server = new McpServer({ name: 's', version: '1' }, { extensions: [await skills('./skills')] });
     const client = await testClient(server);
     const { instructions } = await openSkill(client, 'skill://greeting/SKILL.md');
     await client.close();
     console.log(instructions);`,
  );
  assert(node('skills.mjs').trim() === 'Say hello.', 'the skill says something else');
});

await check('a Worker with skills and views has nothing of Node in it', () => {
  const source = `export * from 'mcpp/extensions/apps'; export * from 'mcpp/extensions/skills'; export * from 'mcpp/server';`;
  write('worker.mjs', source);
  // What the package says about runtimes decides: a module of Node would not be found.
  buildSync({
    entryPoints: [join(consumer, 'worker.mjs')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    write: false,
    logLevel: 'silent',
  });
});

/** The first server for stdio that the README shows. */
function helloOfReadme() {
  const blocks = [...readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)];
  const hello = blocks
    .map(([, code]) => code)
    .find((code) => /'mcpp\/server'/.test(code) && /'mcpp\/stdio'/.test(code));
  assert(hello, 'README.md shows no server for stdio');
  return hello;
}

/** Calls the first tool of a server over a pipe, and ends the server by closing its input. */
async function callOverPipe(file, version, requests) {
  const child = spawn(process.execPath, [file], { cwd: consumer, stdio: ['pipe', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const exit = new Promise((resolve) => child.on('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const deadline = setTimeout(() => child.kill('SIGKILL'), 20_000);
  try {
    return await requests(async (method, params) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: method, method, params })}\n`);
      const { value, done } = await lines.next();
      assert(!done, `the server ended before it answered ${method}\n${stderr}`);
      const { id, result, error } = JSON.parse(value);
      assert(id === method && result, `${version}: ${method} is answered with ${JSON.stringify(error ?? value)}`);
      return result;
    });
  } finally {
    child.stdin.end();
    const code = await exit;
    clearTimeout(deadline);
    assert(code === 0, `the server ended with ${code}\n${stderr}`);
  }
}

async function listAndCall(send, meta) {
  const { tools } = await send('tools/list', { ...meta });
  const [{ name, inputSchema }] = tools;
  const args = Object.fromEntries((inputSchema.required ?? []).map((key) => [key, 'Ada']));
  const { content } = await send('tools/call', { name, arguments: args, ...meta });
  assert(content[0].text.includes('Ada'), `${name} says ${JSON.stringify(content)}`);
}

await check("the README's server compiles and answers over a pipe, to old clients and new ones", async () => {
  const hello = helloOfReadme();
  const length = hello
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '').length;
  assert(length <= 10, `it has ${length} lines, 10 are promised`);
  write('hello.mts', hello);
  typeCheck('hello.mts', { ...nodenext, noEmit: true });
  write('hello.mjs', transformSync(hello, { loader: 'ts' }).code);
  const client = { name: 'check-package', version: '1.0.0' };
  await callOverPipe('hello.mjs', '2025-11-25', async (send) => {
    await send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client });
    await listAndCall(send, {});
  });
  const prefix = 'io.modelcontextprotocol/';
  const _meta = {
    [`${prefix}protocolVersion`]: '2026-07-28',
    [`${prefix}clientCapabilities`]: {},
    [`${prefix}clientInfo`]: client,
  };
  await callOverPipe('hello.mjs', '2026-07-28', (send) => listAndCall(send, { _meta }));
});
