/** `mcpp/extensions/tasks`: tool calls that continue as tasks after their request was answered. */

export {
  callToolAsTask,
  resumeTask,
  type TaskArguments,
  type TaskCallOptions,
} from '../../extensions/tasks/client/call-as-task.ts';
export type { TaskHandle, TaskRequestOptions, TaskResultOptions } from '../../extensions/tasks/client/handle.ts';
export type { SavedTask } from '../../extensions/tasks/client/saved-task.ts';
export {
  type MemoryTaskStore,
  type MemoryTaskStoreOptions,
  memoryTaskStore,
} from '../../extensions/tasks/memory-store.ts';
export {
  keptUntil,
  NoRoomError,
  type StoredTask,
  type TaskPage,
  type TaskQuery,
  type TaskQuestion,
  type TaskReply,
  type TaskStore,
} from '../../extensions/tasks/store.ts';
export type { DetailedTask, Task, TaskStatus } from '../../extensions/tasks/task.ts';
export { type TasksOptions, tasks } from '../../extensions/tasks/tasks.ts';
