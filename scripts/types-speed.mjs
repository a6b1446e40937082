// What mcpp's types cost: 100 tools, registered in three ways, against the same schemas and functions typed by zod alone.
// Fails if a chain or statements take more than 1.5 times the time or 1.3 times the memory.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const TOOLS = 100;
const RUNS = 9;
const ATTEMPTS = 3;
const LIMITED = ['chain', 'statements'];
const MOST = { time: 1.5, memory: 1.3 };

const numbers = Array.from({ length: TOOLS }, (_, index) => index);
const each = (text) => numbers.map(text).join('\n');

const input = (n) =>
  `z.object({ id${n}: z.string(), count: z.number().default(${n}), tags: z.array(z.string()).optional(), ` +
  `where: z.object({ field${n}: z.enum(['a', 'b', 'c${n}']), from: z.number(), to: z.number().optional() }) })`;
const output = (n) => `z.object({ total${n}: z.number(), rows: z.array(z.object({ key${n}: z.string() })) })`;
const config = (n) => `{ description: 'Tool ${n}', inputSchema: ${input(n)}, outputSchema: ${output(n)} }`;
const body = (n) =>
  `({ total${n}: count + where.from, rows: [{ key${n}: id${n} + where.field${n} + (tags?.[0] ?? '') }] })`;
const args = (n) => `{ id${n}, count, tags, where }`;

const imports = `import { z } from 'zod';\nimport { defineTool, McpServer } from 'mcpp/server';\n`;
const server = `new McpServer({ name: 'speed', version: '1.0.0' })`;
const tool = (n) => `.registerTool('tool${n}', ${config(n)}, (${args(n)}) => ${body(n)})`;

const sources = {
  'zod alone':
    `import { z } from 'zod';\n` +
    each(
      (n) =>
        `const input${n} = ${input(n)};\nconst output${n} = ${output(n)};\n` +
        `export const tool${n} = (${args(n)}: z.output<typeof input${n}>): z.input<typeof output${n}> => ${body(n)};`,
    ),
  chain: `${imports}export const server = ${server}\n${each(tool)};\nexport type Names = keyof typeof server.$tools;`,
  statements: `${imports}export const server = ${server};\n${each((n) => `server${tool(n)};`)}`,
  registerTools:
    `${imports}export const server = ${server}.registerTools({\n` +
    `${each((n) => `tool${n}: defineTool(${config(n)}, (${args(n)}) => ${body(n)}),`)}\n});\n` +
    `export type Names = keyof typeof server.$tools;`,
};

const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2023'],
  types: ['node'],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  paths: { 'mcpp/server': [join(root, 'dist/entries/server.d.ts')] },
};

function compile(folder, name) {
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', `${name}.json`, '--extendedDiagnostics'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} does not compile:\n${stdout}`);
  const figure = (label) => Number(new RegExp(`^${label}:\\s*([\\d.]+)`, 'm').exec(stdout)?.[1]);
  const measured = { check: figure('Check time'), time: figure('Total time'), memory: figure('Memory used') / 1024 };
  if (!Object.values(measured).every(Number.isFinite)) throw new Error(`tsc prints no diagnostics:\n${stdout}`);
  return measured;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Compiles all of them in turn, so that each run can be held against that of zod alone at about the same moment. */
function measure(folder) {
  const names = Object.keys(sources);
  for (const name of names) compile(folder, name); // fills the file cache
  const rounds = Array.from({ length: RUNS }, () => names.map((name) => compile(folder, name)));
  return names.map((name, index) => {
    const value = (figure) => median(rounds.map((round) => round[index][figure]));
    const ratio = (figure) => median(rounds.map((round) => round[index][figure] / round[0][figure]));
    return { name, value, ratio };
  });
}

function print(rows) {
  console.log(`${TOOLS} tools, medians of ${RUNS} runs; in brackets the median of the ratios to zod alone`);
  console.log(`${'registered by'.padEnd(14)}${'check'.padStart(17)}${'total'.padStart(17)}${'memory'.padStart(17)}`);
  const cell = ({ value, ratio }, figure, unit, digits) =>
    `${value(figure).toFixed(digits)} ${unit} (${ratio(figure).toFixed(2)})`.padStart(17);
  for (const row of rows) {
    console.log(
      row.name.padEnd(14) + cell(row, 'check', 's', 3) + cell(row, 'time', 's', 3) + cell(row, 'memory', 'MB', 0),
    );
  }
}

function faultsOf(rows) {
  return rows
    .filter(({ name }) => LIMITED.includes(name))
    .flatMap(({ name, ratio }) =>
      ['time', 'memory']
        .filter((figure) => ratio(figure) > MOST[figure])
        .map(
          (figure) => `${name}: ${ratio(figure).toFixed(2)} times the ${figure} of zod alone, at most ${MOST[figure]}`,
        ),
    );
}

execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-changed'], { stdio: 'inherit' });
const folder = mkdtempSync(join(tmpdir(), 'mcpp-types-'));
try {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [name, source] of Object.entries(sources)) {
    writeFileSync(join(folder, `${name}.ts`), `${source}\n`);
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  }
  let faults;
  // A busy machine can spoil one measurement; what is really too slow is so every time.
  for (let attempt = 0; attempt < ATTEMPTS && faults?.length !== 0; attempt++) {
    const rows = measure(folder);
    print(rows);
    faults = faultsOf(rows);
  }
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
