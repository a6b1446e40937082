/** Tools that say something before they answer. */

import { setTimeout as pause } from 'node:timers/promises';
import type { McpServer } from 'mcpp/server';

const STEP_MS = 50;

/** How long an event stream of a stateful revision may last; then the client has to come back for the rest. */
export const MAX_STREAM_MS = 1_000;

/** Registers them. */
export function addReports(server: McpServer): void {
  server.registerTool('test_tool_with_progress', { description: 'Reports its progress' }, async (_args, ctx) => {
    for (const progress of [0, 50, 100]) {
      ctx.reportProgress(progress, 100, `${progress} of 100`);
      await pause(STEP_MS, undefined, { signal: ctx.signal });
    }
    return 'Done';
  });

  server.registerTool('test_tool_with_logging', { description: 'Logs while it works' }, async (_args, ctx) => {
    for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      ctx.log.info(message);
      await pause(STEP_MS, undefined, { signal: ctx.signal });
    }
    return 'Done';
  });

  server.registerTool('test_logging_tool', { description: 'Logs, for those who want it' }, (_args, ctx) => {
    ctx.log.info('Somebody wants to know this');
    return 'Done';
  });

  server.registerTool(
    'test_reconnection',
    { description: 'Takes longer than its event stream lasts, so that the client has to come back' },
    async (_args, ctx) => {
      await pause(1.5 * MAX_STREAM_MS, undefined, { signal: ctx.signal });
      return 'You came back';
    },
  );
}
