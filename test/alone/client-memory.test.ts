/** A connection that is used for a long time does not grow. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

// A question costs a call more work than all the rest, so there are fewer of them.
test.each([
  ['2026-07-28', 100_000, 't'],
  ['2025-11-25', 100_000, 't'],
  ['2026-07-28', 10_000, 'ask'],
])(
  'in revision %s, %i calls of "%s" in a row leave the heap within 2 MB of what it was after the first 1,000',
  (revision, count, tool) => {
    const script = `
      import { connect } from 'mcpp/client';
      import { McpServer } from 'mcpp/server';
      const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, (_, ctx) => {
        ctx.reportProgress(1);
        return 'x';
      }).registerTool('ask', {}, async (_, ctx) => String((await ctx.listRoots()).roots.length));
      const mcp = await connect(server, { revision: '${revision}', roots: [] });
      const signal = new AbortController().signal;
      const calls = async (count) => {
        for (let i = 0; i < count; i++) await mcp.callTool('${tool}', {}, { signal, onProgress: () => {} });
        for (let i = 0; i < 3; i++) {
          await new Promise((resolve) => setImmediate(resolve));
          gc();
        }
        return process.memoryUsage().heapUsed;
      };
      const before = await calls(1000);
      const after = await calls(${count - 1000});
      await mcp.close();
      console.log(after - before);
    `;
    const args = ['--expose-gc', '--input-type=module', '-e', script];
    const grown = Number(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
    expect(grown).toBeLessThan(2 * 1024 * 1024);
  },
  120_000,
);
