/** Decides which tool calls become tasks, and starts the tasks. */

import { ErrorCode, type Params, RpcError } from '../../../entries/mcpp.ts';
import {
  type ExtensionResult,
  extensionResult,
  missingCapability,
  principalKey,
  type StartedTask,
  type TaskStarter,
  type ToolCall,
} from '../../../entries/server.ts';
import { isObject } from '../object.ts';
import { NoRoomError, type StoredTask } from '../store.ts';
import { TASKS } from '../task.ts';
import { TaskDesk } from './desk.ts';
import { newTaskId } from './find.ts';
import type { Office } from './office.ts';
import { experimentalTaskOf, taskOf } from './view.ts';

/** How tool calls become tasks in one protocol revision. */
interface Custom {
  /** Returns true if this call can become a task. Throws an `RpcError` if its parameter `task` is malformed or not allowed. */
  isWanted(call: ToolCall): boolean;
  /** Creates the error for a call that cannot become a task, of a tool with `task: 'required'`. */
  refusal(name: string): RpcError;
  /** True if the revision allows a result instead of a task, which the server uses if there is no room for a task. */
  readonly canBePlain: boolean;
  /** Returns the lifetime of the task in milliseconds; null for unlimited. */
  ttlMs(office: Office, params: Params): number | null;
  /** Returns the `tools/call` result that announces the task. */
  answer(task: StoredTask): ExtensionResult;
}

const extension: Custom = {
  isWanted: ({ isDeclared }) => isDeclared,
  canBePlain: true,
  refusal: () => missingCapability(`extensions.${TASKS}`),
  ttlMs: ({ ttlMs }) => ttlMs,
  answer: (task) => extensionResult('task', { ...taskOf(task) }),
};

const experiment: Custom = {
  canBePlain: false,
  isWanted: ({ ctx, config, name }) => {
    const isAsked = ctx.params['task'] !== undefined;
    if (isAsked && (config.task ?? 'never') === 'never') {
      throw notFound(`Tool ${name} does not run as a task: call it without "task"`);
    }
    if (isAsked) wantedTtl(ctx.params);
    return isAsked;
  },
  refusal: (name) => notFound(`Tool ${name} runs only as a task: call it with "task"`),
  ttlMs({ ttlMs, maxTtlMs, pollIntervalMs }, params) {
    const wanted = wantedTtl(params);
    // A lifetime below the poll interval is raised, because the task would expire before the first poll.
    return wanted === undefined ? ttlMs : Math.max(Math.min(wanted ?? maxTtlMs, maxTtlMs), pollIntervalMs);
  },
  answer: (task) => extensionResult('task', { task: experimentalTaskOf(task) }),
};

const none: Custom = {
  ...extension,
  isWanted: () => false,
  refusal: (name) => notFound(`Tool ${name} runs only as a task, which this protocol version does not have`),
};

const CUSTOMS: ReadonlyMap<string, Custom> = new Map([
  ['2026-07-28', extension],
  ['2025-11-25', experiment],
]);

/** Returns the hook `detach`, which decides for each tool call whether it becomes a task. */
export function taskStarterFor(office: Office): (call: ToolCall) => TaskStarter | undefined {
  return (call) => {
    const { name, config, ctx } = call;
    const custom = CUSTOMS.get(ctx.revision) ?? none;
    const isWanted = custom.isWanted(call);
    if ((config.task ?? 'never') === 'never') return undefined;
    if (isWanted) return () => takeOver(office, custom, call);
    if (config.task === 'required') throw custom.refusal(name);
    return undefined;
  };
}

/** Starts a task. If there is no room, resolves to undefined for calls that can run without a task, and rejects for others. */
async function takeOver(office: Office, custom: Custom, { ctx, config }: ToolCall): Promise<StartedTask | undefined> {
  const now = Date.now();
  const task: StoredTask = {
    taskId: newTaskId(),
    owner: principalKey(ctx.auth),
    revision: ctx.revision,
    node: office.node,
    version: 1,
    status: 'working',
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: custom.ttlMs(office, ctx.params),
    pollIntervalMs: office.pollIntervalMs,
    questions: [],
  };
  try {
    const desk = await openDesk(office, task);
    return { result: custom.answer(task), call: desk };
  } catch (error) {
    if (!(error instanceof NoRoomError)) throw error;
    if (custom.canBePlain && config.task === 'auto') return undefined;
    throw RpcError.internal('The server has as many tasks as it can keep: try again later');
  }
}

/** Stores the task and creates its detached call. The client gets the id afterwards, so `tasks/get` always finds the task. */
async function openDesk(office: Office, task: StoredTask): Promise<TaskDesk> {
  const { store, running } = office;
  if (running.free(task.owner) === 0) throw new NoRoomError('Too many handlers are at work for this principal');
  const leave = running.take(task.owner, 1);
  try {
    await store.create(task);
    return new TaskDesk(office, task, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

/** Returns the lifetime that a client of 2025-11-25 requests: undefined for the default, null for the maximum. */
function wantedTtl({ task }: Params): number | null | undefined {
  if (!isObject(task)) throw RpcError.invalidParams('"task" must be an object');
  const { ttl } = task;
  if (ttl === undefined || ttl === null) return ttl;
  if (Number.isSafeInteger(ttl) && (ttl as number) >= 0) return ttl as number;
  throw RpcError.invalidParams('"task.ttl" must be a whole number of milliseconds, 0 or greater');
}

function notFound(message: string): RpcError {
  return new RpcError(ErrorCode.MethodNotFound, message);
}
