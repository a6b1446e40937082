/** `tasks`: the tasks extension (SEP-2663), with which tool calls continue after their request got a response. */

import type { ClientExtension } from '../../entries/client.ts';
import type { ServerExtension } from '../../entries/server.ts';
import { clientSide, type TasksClientOptions } from './client/client-side.ts';
import type { TasksServerOptions } from './server/office.ts';
import { serverSide } from './server/side.ts';
import { TASKS } from './task.ts';

/** Options of `tasks`, for servers and clients. */
export interface TasksOptions extends TasksServerOptions, TasksClientOptions {}

/** Creates the tasks extension, for `extensions` of `McpServer` and of `connect`. Also supports tasks of 2025-11-25. */
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
