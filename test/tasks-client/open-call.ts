/** A call that a server answered with a task. */

import type { ExtensionCall, RequestOptions } from 'mcpp/client';
import { vi } from 'vitest';
import { clientSide, type TasksClientOptions } from '../../src/extensions/tasks/client/client-side.ts';
import { type FakePeer, task } from './fake-peer.ts';

/** Such a call: what becomes of it, and the means to give it up. */
export interface Called {
  readonly outcome: Promise<unknown>;
  readonly abort: AbortController;
  readonly settled: () => void;
}

/** The call `tools/call "build"` that was answered with this. */
export function call(
  peer: FakePeer,
  result: object,
  options: RequestOptions = {},
  own: TasksClientOptions = {},
  abort: AbortController = new AbortController(),
): Called {
  const open: ExtensionCall = {
    method: 'tools/call',
    params: { name: 'build' },
    options,
    label: 'tools/call "build"',
    signal: abort.signal,
  };
  const finish = clientSide(own).resultTypes?.['task'];
  const outcome = Promise.resolve(finish?.(result as never, open, peer));
  const settled = vi.fn();
  outcome.then(settled, settled);
  return { outcome, abort, settled };
}

/** The answer that made a task of it. */
export function created(more: object = {}): object {
  return { resultType: 'task', ...task('working', more) };
}

/** What a tool gives in the end. */
export const DONE: { readonly content: readonly object[] } = { content: [{ type: 'text', text: 'done' }] };
/** What a look at the task is on the wire. */
export const GET = 'tasks/get {"taskId":"t1"}';
/** What cancelling it is. */
export const CANCEL = 'tasks/cancel {"taskId":"t1"}';
