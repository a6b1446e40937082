/** `connect(url)` where there is no Node: what a bundler makes of it for a page, and that it works. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, afterEach, expect, test } from 'vitest';
import { closeAll, rawServer, stateless, TOOL } from './raw-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mcpp-http-'));

afterEach(closeAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a page gets fetch, no module of Node’s, and a client that works', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/list': (visit) => visit.result({ resultType: 'complete', tools: [TOOL] }),
  });
  const contents = `
    import { connect } from 'mcpp/client';
    const mcp = await connect(${JSON.stringify(server.url)});
    console.log(mcp.revision, (await mcp.listTools()).tools.map(({ name }) => name));
    await mcp.close();
  `;
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    outdir: folder,
    format: 'esm',
    platform: 'browser',
    outExtension: { '.js': '.mjs' },
    // The package as it is built, not its sources.
    tsconfigRaw: '{}',
  });
  const modules = Object.keys(metafile.inputs);
  expect(modules).toContain('dist/transport/http/client/send-fetch.js');
  expect(modules).not.toContain('dist/transport/http/client/send-node.js');
  expect(modules.filter((path) => path.includes('/stdio/'))).toEqual(['dist/transport/stdio/no-child.js']);
  for (const { text } of outputFiles) expect(text).not.toMatch(/["']node:/);

  for (const { path, text } of outputFiles) writeFileSync(path, text);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'stdin.mjs')], { timeout: 20_000 });
  expect(stdout).toBe("2026-07-28 [ 'tool' ]\n");
  // Node's fetch says of itself what node:http does not.
  expect(server.visits[0]?.headers['sec-fetch-mode']).toBe('cors');
});
