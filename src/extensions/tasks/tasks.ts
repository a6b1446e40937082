/** The tasks extension: calls of tools that are answered before they are done. */

import type { ClientExtension } from '../../entries/client.ts';
import type { ServerExtension } from '../../entries/server.ts';
import { clientSide, type TasksClientOptions } from './client/client-side.ts';
import type { TasksServerOptions } from './server/office.ts';
import { serverSide } from './server/side.ts';
import { TASKS } from './task.ts';

/** Options of `tasks`; none is needed. */
export interface TasksOptions extends TasksServerOptions, TasksClientOptions {}

/**
 * The tasks extension, for servers and for clients: `new McpServer(info, { extensions: [tasks()] })` and
 * `connect(target, { extensions: [tasks()] })`. The tasks that revision 2025-11-25 had as an experiment are served, too.
 */
export function tasks(options: TasksOptions = {}): ServerExtension & ClientExtension {
  return {
    id: TASKS,
    revisions: ['2026-07-28'],
    mcpNames: { 'tasks/get': 'taskId', 'tasks/update': 'taskId', 'tasks/cancel': 'taskId' },
    resultTypes: { task: ['tools/call'] },
    server: serverSide(options),
    client: clientSide(options),
  };
}
