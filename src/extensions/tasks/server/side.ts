/** Server hooks of the tasks extension. */

import type { Tool } from '../../../entries/mcpp.ts';
import type { ServerHooks, ToolConfig } from '../../../entries/server.ts';
import { experimentalTasks } from './experiment.ts';
import { taskStarterFor } from './hand-off.ts';
import { taskMethods } from './methods.ts';
import { officeOf, type TasksServerOptions } from './office.ts';
import { taskIdsField } from './subscription.ts';

export function serverSide(options: TasksServerOptions = {}): ServerHooks {
  const office = officeOf(options);
  return {
    methods: taskMethods(office),
    subscriptions: { taskIds: taskIdsField(office) },
    detach: taskStarterFor(office),
    describeTool,
    builtInRevisions: { '2025-11-25': experimentalTasks(office) },
  };
}

/** Sets `execution.taskSupport`, which tells clients of 2025-11-25 whether they can call the tool as a task. */
function describeTool(tool: Tool, { task = 'never' }: ToolConfig): Tool {
  if (task === 'never') return tool;
  return { ...tool, execution: { ...tool.execution, taskSupport: task === 'required' ? 'required' : 'optional' } };
}
