/** What is done with tasks, column by column, by the official helpers for clients. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  resultFromTaskOutcome,
  TaskCancelledError,
  TaskFailedError,
  taskViewFromExecutionEvent,
} from '@modelcontextprotocol/ext-tasks/client';
import { CallToolResultV1Schema } from '@modelcontextprotocol/ext-tasks/core/v1';
import { isTaskStatusNotificationV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { NOT_OFFERED } from './checks.mjs';

const RELATED = 'io.modelcontextprotocol/related-task';
const AS_TASK = { task: { preference: 'require' } };
const textOf = ({ content }) => content.map(({ text }) => text).join('\n');

/** What the client says by itself, without the helpers. */
const said = async ({ client }, name, args = {}) => textOf(await client.callTool({ name, arguments: args }));

/** What the call of a task is answered with in 2025-11-25, where a task that wants something is to be asked for it, too. */
const resultOf = ({ client }, taskId) =>
  client.request({ method: 'tasks/result', params: { taskId } }, CallToolResultV1Schema);

/** Waits until a task is over. Gives how, and the states it was seen in. */
async function settle({ peer }, execution) {
  const seen = [];
  let asking;
  const onEvent = (event) => {
    const task = taskViewFromExecutionEvent(event);
    if (event.type === 'task') seen.push(task);
    // The helpers only wait, though clients are to ask for the result now: it brings the questions.
    if (task?.status === 'input_required' && !peer.isStateless) asking ??= resultOf(peer, task.taskId);
    // It is waited for below.
    asking?.catch(() => {});
  };
  const { outcome } = await execution.settle({ onEvent });
  return { outcome, seen, asked: await asking };
}

/** Starts a task that waits, and says when it does. */
async function startWaiting({ peer, session }) {
  const args = { key: randomUUID() };
  const execution = await session.callTool('wait', args, AS_TASK);
  await said(peer, 'waiting', args);
  return { args, execution, taskId: execution.handle.taskId };
}

/** A tool that is never a task, and one that could be, for a client without tasks. */
async function plain({ peer, session }) {
  const execution = await session.callTool('quick');
  assert.equal(execution.kind, 'immediate');
  const { outcome } = await execution.settle();
  assert.equal(textOf(resultFromTaskOutcome(outcome)), 'Done');
  const { structuredContent } = await peer.client.callTool({ name: 'add', arguments: {} });
  assert.deepEqual(structuredContent, { sum: 5 });
}

async function task(about) {
  const execution = await about.session.callTool('add', {}, AS_TASK);
  assert.equal(execution.kind, 'task');
  const { outcome, seen } = await settle(about, execution);
  assert.deepEqual(resultFromTaskOutcome(outcome).structuredContent, { sum: 5 });
  assert.equal(outcome.task.status, 'completed');
  assert.equal(seen[0].status, 'working');
  for (const { taskId, pollInterval, ttl, extensions } of seen) {
    assert.equal(taskId, execution.handle.taskId);
    assert.deepEqual([pollInterval, ttl, extensions], [50, 3_600_000, {}]);
  }
}

/** A task asks two things at once; the helpers know whose questions they are. */
async function input(about) {
  const applicationContext = randomUUID();
  const execution = await about.session.callTool('ask', {}, { ...AS_TASK, applicationContext });
  const { outcome, seen, asked } = await settle(about, execution);
  assert.equal(textOf(resultFromTaskOutcome(outcome)), 'Ada says Moo');
  assert.ok(seen.some(({ status }) => status === 'input_required'));
  const { taskId } = execution.handle;
  const inputs = about.inputs.filter((one) => one.applicationContext === applicationContext);
  assert.deepEqual(inputs.map(({ kind }) => kind).sort(), ['elicitation', 'sampling']);
  for (const one of inputs) assert.deepEqual([one.scope, one.taskId], ['task', taskId]);
  if (asked) assert.deepEqual(asked._meta[RELATED], { taskId });
}

/** The call asks, then becomes a task, and that asks, too. */
async function handOff(about) {
  const applicationContext = randomUUID();
  const execution = await about.session.callTool('ask-first', {}, { ...AS_TASK, applicationContext });
  assert.equal(execution.kind, 'task');
  const { outcome } = await settle(about, execution);
  assert.equal(textOf(resultFromTaskOutcome(outcome)), 'Ada says Moo');
  const inputs = about.inputs.filter((one) => one.applicationContext === applicationContext);
  assert.deepEqual(
    inputs.map(({ kind, scope }) => [kind, scope]),
    [
      ['elicitation', 'request'],
      ['sampling', 'task'],
    ],
  );
}

/** An error of the protocol. In 2025-11-25 the helpers do not ask for it. */
async function failed(about) {
  const { peer, session } = about;
  const execution = await session.callTool('refuse', {}, AS_TASK);
  const { outcome } = await settle(about, execution);
  assert.equal(outcome.task.status, 'failed');
  assert.throws(() => resultFromTaskOutcome(outcome), TaskFailedError);
  assert.equal(outcome.error.message, 'Not today');
  const error = { code: -31000, data: { again: 'tomorrow' } };
  const asked = peer.isStateless ? Promise.reject(outcome.error) : resultOf(peer, execution.handle.taskId);
  await assert.rejects(asked, error);
}

/** A tool that failed. That is a failed task only in 2025-11-25. */
async function isError(about) {
  const { peer, session } = about;
  const execution = await session.callTool('break', {}, AS_TASK);
  const { outcome } = await settle(about, execution);
  assert.equal(outcome.task.status, peer.isStateless ? 'completed' : 'failed');
  if (!peer.isStateless) assert.match(outcome.error.message, /It broke/);
  const result = peer.isStateless ? resultFromTaskOutcome(outcome) : await resultOf(peer, execution.handle.taskId);
  assert.equal(result.isError, true);
  assert.match(textOf(result), /It broke/);
}

async function cancel(about) {
  const { peer, session } = about;
  const { args, execution, taskId } = await startWaiting(about);
  const settled = settle(about, execution);
  await execution.cancel();
  assert.equal(await said(peer, 'waited', args), 'cancelled');
  const { outcome } = await settled;
  assert.throws(() => resultFromTaskOutcome(outcome), TaskCancelledError);
  const { status } = await session.task(taskId).snapshot();
  assert.equal(status, 'cancelled');
  // Whoever asks for it later gets the same; and nobody can cancel it twice in 2025-11-25.
  assert.equal((await session.task(taskId).result()).status, 'cancelled');
  const again = session.cancelTask(taskId);
  if (peer.isStateless) await again;
  else await assert.rejects(again, { code: -32602 });
}

/** The server tells of a task, and the helpers understand it. */
async function notified(about) {
  const { peer } = about;
  if (!peer.isStateless) return NOT_OFFERED;
  const { args, execution, taskId } = await startWaiting(about);
  const enough = new AbortController();
  const told = [];
  const listening = peer.listen(
    taskId,
    (notification) => {
      if (notification.method !== 'notifications/tasks') return;
      told.push(notification);
      if (told.length === 1) said(peer, 'release', args).catch((error) => enough.abort(error));
      if (notification.params.status === 'completed') enough.abort(new Error('enough'));
    },
    enough.signal,
  );
  await assert.rejects(listening, /enough/);
  assert.deepEqual(
    told.map(({ params }) => [params.status, params.taskId]),
    [
      ['working', taskId],
      ['completed', taskId],
    ],
  );
  assert.ok(told.every(isTaskStatusNotificationV2));
  const { outcome } = await settle(about, execution);
  assert.equal(textOf(resultFromTaskOutcome(outcome)), 'Released');
}

/** A task is found again by its id in another session, which answers it as well; one that is not there is not. */
async function resume(about) {
  const { args, execution } = await startWaiting(about);
  let saved;
  await execution.handoff((reference) => {
    saved = JSON.stringify(reference);
  });
  const asking = await about.session.callTool('ask', {}, AS_TASK);
  const reference = asking.serializeReference();
  await asking.detach();
  // Before that a session that is closed cancels it nevertheless.
  await asking.result();

  await about.again(async (other) => {
    const found = await other.session.resumeTask(JSON.parse(saved));
    await said(other.peer, 'release', args);
    const { outcome } = await settle(other, found);
    assert.equal(textOf(resultFromTaskOutcome(outcome)), 'Released');
    const { outcome: answered } = await settle(other, await other.session.resumeTask(reference));
    assert.equal(textOf(resultFromTaskOutcome(answered)), 'Ada says Moo');
    const nobody = { ...reference, taskId: randomUUID() };
    await assert.rejects(other.session.resumeTask(nobody), { code: -32602 });
  });
}

/** Who cannot have a task is refused, in the words of the revision. */
async function required(about) {
  const { peer, session } = about;
  const { outcome } = await settle(about, await session.callTool('long'));
  assert.equal(textOf(resultFromTaskOutcome(outcome)), 'Done at last');
  assert.equal(outcome.task.status, 'completed');
  const refused = peer.client.request({ method: 'tools/call', params: { name: 'long', arguments: {} } });
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  await assert.rejects(
    refused,
    peer.isStateless ? { code: -32021, data: { requiredCapabilities: { extensions } } } : { code: -32601 },
  );
}

/** A session that is closed cancels what it started. Then the connection is closed. */
async function close(about) {
  const { peer, session, isGone } = about;
  const { args } = await startWaiting(about);
  await session.close();
  assert.equal(await said(peer, 'waited', args), 'cancelled');
  const sessionId = peer.sessionId();
  await peer.close();
  await isGone(sessionId);
}

/** The columns in their order. */
export const TASK_CHECKS = new Map(
  Object.entries({ plain, task, input, handOff, failed, isError, cancel, notified, resume, required, close }),
);
