/** Handles of tasks, on a connection that is played by hand. */

import type { Connection } from 'mcpp/client';
import { callToolAsTask } from '../../src/extensions/tasks/client/call-as-task.ts';
import type { TaskHandle } from '../../src/extensions/tasks/client/handle.ts';
import { FakePeer, task } from './fake-peer.ts';

/** What stands for a connection where only a connection is taken. */
export function asConnection(peer: FakePeer): Connection {
  return peer as unknown as Connection;
}

/** A handle of a task that was just made. */
export async function begin(peer: FakePeer = new FakePeer()): Promise<{ peer: FakePeer; handle: TaskHandle }> {
  peer.on('tools/call', { resultType: 'task', ...task('working') });
  const handle = await callToolAsTask(asConnection(peer), 'build', { a: 1 });
  peer.made.length = 0;
  return { peer, handle };
}
