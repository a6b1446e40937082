/** A connection that is used for a long time does not grow. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

test.each(['2026-07-28', '2025-11-25'])(
  '100,000 calls in a row leave the heap within 2 MB of what it was after the first 1,000: %s',
  (revision) => {
    const script = `
      import { connect } from 'mcpp/client';
      import { McpServer } from 'mcpp/server';
      const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, (_, ctx) => {
        ctx.reportProgress(1);
        return 'x';
      });
      const mcp = await connect(server, { revision: '${revision}' });
      const signal = new AbortController().signal;
      const calls = async (count) => {
        for (let i = 0; i < count; i++) await mcp.callTool('t', {}, { signal, onProgress: () => {} });
        for (let i = 0; i < 3; i++) {
          await new Promise((resolve) => setImmediate(resolve));
          gc();
        }
        return process.memoryUsage().heapUsed;
      };
      const before = await calls(1000);
      const after = await calls(99000);
      await mcp.close();
      console.log(after - before);
    `;
    const args = ['--expose-gc', '--input-type=module', '-e', script];
    const grown = Number(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
    expect(grown).toBeLessThan(2 * 1024 * 1024);
  },
  120_000,
);
