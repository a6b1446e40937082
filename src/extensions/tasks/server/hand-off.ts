/** Which calls become tasks, and how they do. */

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

/** How a revision does tasks. */
interface Custom {
  /** True if this call can become a task; throws if what it says of that is malformed. */
  isWanted(call: ToolCall): boolean;
  /** Why a call that cannot is refused by a tool that runs only as a task. */
  refusal(name: string): RpcError;
  /** True if it is the server's choice. */
  readonly canBePlain: boolean;
  /** How long the task is kept. */
  ttlMs(office: Office, params: Params): number | null;
  /** The answer that creates it. */
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
    // What ends before it can be asked for is of no use.
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

/** Says whether a call becomes a task, and gives the function that makes it one. */
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

/** Makes the call a task. Without room for one it runs as ever, if it can. */
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

/** The client is answered only when this has resolved: then the task can be asked for. */
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

/** What a client of 2025-11-25 asks for: undefined leaves it to the server, null is as long as there is. */
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
