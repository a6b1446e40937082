/** Results of several MiB that arrive as events, because something was reported before them. */

import { connect } from 'mcpp/client';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { expect, test } from 'vitest';

const MIB = 1024 * 1024;

test.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'a result of 10 MiB after a progress report is received, in %s',
  async (revision) => {
    const server = new McpServer({ name: 'large', version: '1' }).registerTool('report', {}, async (_args, ctx) => {
      ctx.reportProgress(1, 2);
      // The report leaves by itself: then the response is a stream.
      await new Promise((resolve) => setTimeout(resolve, 10));
      return 'x'.repeat(10 * MIB);
    });
    const { url, close } = await serveHttp(server, { port: 0 });
    const mcp = await connect(url, { revision });
    const progress: number[] = [];
    const { content } = await mcp.callTool('report', {}, { onProgress: (report) => progress.push(report.progress) });
    expect(progress).toEqual([1]);
    expect((content[0] as { text: string }).text.length).toBe(10 * MIB);
    await mcp.close();
    await close();
  },
);
