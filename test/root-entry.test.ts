/** The root entry has the first names of servers and clients, and costs nothing where they are not used. */

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A bundle of these names, minified. */
async function bundleOf(names: string, entry: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from 'mcpp${entry}';`, resolveDir: root },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    // The package as it is built, not its sources.
    tsconfigRaw: '{}',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

test.each([
  ['McpServer', '/server'],
  ['McpServer, defineTool', '/server'],
  ['connect', '/client'],
])('%s is the same from mcpp as from mcpp%s, and bundles to the same size', async (names, entry) => {
  const [fromRoot, own] = [await bundleOf(names, ''), await bundleOf(names, entry)];
  expect(Math.abs(fromRoot.length - own.length)).toBeLessThan(200);
});

test('a bundle that uses only errors or messages has nothing of servers and clients in it', async () => {
  const bundle = await bundleOf('RpcError, ToolError, parseMessage', '');
  expect(bundle.length).toBeLessThan(25_000);
  expect(bundle).not.toMatch(/registerTool|connectInProcess|callTool/);
});
