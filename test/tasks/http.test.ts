/** Tasks over HTTP: the same on both faces, and useless to anybody but their owner. */

import { afterEach, describe, expect, test } from 'vitest';
import { as, auth, OTHERS } from '../auth-binding/people.ts';
import { nextMessage } from '../http/events.ts';
import { type Answer, FACES, openSession, post, type Reached } from '../http/faces.ts';
import { type Headers, stateless, statelessHeaders } from '../http/messages.ts';
import { quiet } from '../wire.ts';
import { accept, makeStage, type Stage, TASKS } from './stage.ts';

const UNKNOWN = { code: -32602, message: 'Unknown task: there is none with this "taskId", or it has expired' };
const CAPABILITIES = { elicitation: { form: {} }, extensions: { [TASKS]: {} } };

type Body = { result?: Record<string, unknown>; error?: { code: number; message: string } };

describe.each(FACES)('through $name', ({ open }) => {
  let stage: Stage;
  let reached: Reached;

  async function begin(): Promise<void> {
    stage = makeStage();
    reached = await open(stage.server, { auth });
  }
  afterEach(() => reached.close());

  /** One request of 2026-07-28. */
  function send(who: string, method: string, params: Record<string, unknown>, more: Headers = {}): Promise<Answer> {
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': CAPABILITIES };
    const message = stateless(1, method, { ...params, _meta });
    const { taskId } = params;
    const named = typeof taskId === 'string' ? { 'mcp-name': taskId } : {};
    return post(reached, message, { ...statelessHeaders(message), ...named, ...as(who), ...more });
  }

  async function ask(who: string, method: string, params: Record<string, unknown>, more?: Headers): Promise<Body> {
    return (await send(who, method, params, more)).json();
  }

  async function start(who: string, name: string): Promise<string> {
    const { result } = await ask(who, 'tools/call', { name, arguments: {} });
    return String(result?.['taskId']);
  }

  async function when(who: string, taskId: string, status: string): Promise<Record<string, unknown>> {
    for (;;) {
      const { result } = await ask(who, 'tasks/get', { taskId });
      if (result?.['status'] === status) return result;
      await quiet();
    }
  }

  test('each request is one POST, and hanging up cancels nothing once there is a task', async () => {
    await begin();
    const taskId = await start('alice', 'ask');
    const { inputRequests } = await when('alice', taskId, 'input_required');
    const inputResponses = Object.fromEntries(Object.keys(inputRequests as object).map((key) => [key, accept('x')]));
    expect((await ask('alice', 'tasks/update', { taskId, inputResponses })).result).toMatchObject({
      resultType: 'complete',
    });
    // Her token was refreshed meanwhile.
    expect(await when('alice-refreshed', taskId, 'completed')).toMatchObject({ result: { resultType: 'complete' } });
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s names its task in Mcp-Name', async (method) => {
    await begin();
    const taskId = await start('alice', 'work');
    const params = { taskId, inputResponses: {} };
    const other = await send('alice', method, params, { 'mcp-name': 'other' });
    expect([other.status, ((await other.json()) as Body).error?.code]).toEqual([400, -32020]);
    expect((await ask('alice', method, params)).error).toBeUndefined();
  });

  test('changes are told on a stream', async () => {
    await begin();
    const taskId = await start('alice', 'work');
    const stream = await send('alice', 'subscriptions/listen', { notifications: { taskIds: [taskId] } });
    expect(await nextMessage(stream)).toMatchObject({ params: { notifications: { taskIds: [taskId] } } });
    expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/tasks', params: { status: 'working' } });
    await ask('alice', 'tasks/cancel', { taskId });
    expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/tasks', params: { status: 'cancelled' } });
    stream.hangUp();
  });

  describe.each(OTHERS)('%s, who knows the id of a task of Alice', (other) => {
    test('gets what one gets for a task that does not exist, on every method', async () => {
      await begin();
      const taskId = await start('alice', 'ask');
      await when('alice', taskId, 'input_required');
      const inputResponses = { 'elicitation-1': accept('x'), 'elicitation-2': accept('x') };
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        for (const id of [taskId, '0'.repeat(40)]) {
          const answer = await send(other, method, { taskId: id, inputResponses });
          expect([answer.status, ((await answer.json()) as Body).error]).toEqual([200, UNKNOWN]);
        }
      }
      const stream = await send(other, 'subscriptions/listen', { notifications: { taskIds: [taskId] } });
      expect(await nextMessage(stream)).toMatchObject({ params: { notifications: {} } });
      expect(await nextMessage(stream)).toMatchObject({ result: {} });
      expect(await when('alice', taskId, 'input_required')).toMatchObject({
        inputRequests: { 'elicitation-1': {}, 'elicitation-2': {} },
      });
    });

    test('gets as little of one of 2025-11-25, and does not find it in the list', async () => {
      await begin();
      const capabilities = { elicitation: {} };
      const hers = await openSession(reached, { capabilities, headers: as('alice') });
      const theirs = await openSession(reached, { capabilities, headers: as(other) });
      const call = async (session: Headers, method: string, params: object): Promise<Body> =>
        (await post(reached, { jsonrpc: '2.0', id: 5, method, params }, session)).json();
      const made = await call(hers, 'tools/call', { name: 'work', arguments: {}, task: {} });
      const { taskId } = (made.result?.['task'] ?? {}) as { taskId: string };
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
        expect((await call(theirs, method, { taskId })).error).toEqual(UNKNOWN);
      }
      expect((await call(theirs, 'tasks/list', {})).result).toEqual({ tasks: [] });
      expect((await call(hers, 'tasks/list', {})).result).toMatchObject({ tasks: [{ taskId, status: 'working' }] });
    });
  });

  test('a client of 2025-11-25 that waits for the result is asked on the stream of that call', async () => {
    await begin();
    const session = await openSession(reached, { capabilities: { elicitation: {} }, headers: as('alice') });
    const send = (message: object): Promise<Answer> => post(reached, { jsonrpc: '2.0', ...message }, session);
    const made = await send({ id: 1, method: 'tools/call', params: { name: 'ask', arguments: {}, task: {} } });
    const { taskId } = (((await made.json()) as Body).result?.['task'] ?? {}) as { taskId: string };
    const stream = await send({ id: 2, method: 'tasks/result', params: { taskId } });
    const _meta = { 'io.modelcontextprotocol/related-task': { taskId } };
    for (let number = 0; number < 2; number++) {
      const { id, method, params } = await nextMessage(stream);
      expect([method, params]).toEqual(['elicitation/create', expect.objectContaining({ _meta })]);
      await send({ id, result: accept('x') });
    }
    expect(await nextMessage(stream)).toMatchObject({ id: 2, result: { content: [{ type: 'text' }], _meta } });
  });

  test('a client of 2025-11-25 that lost that stream asks for the result again, and is asked again', async () => {
    await begin();
    const session = await openSession(reached, { capabilities: { elicitation: {} }, headers: as('alice') });
    const send = (message: object): Promise<Answer> => post(reached, { jsonrpc: '2.0', ...message }, session);
    const made = await send({ id: 1, method: 'tools/call', params: { name: 'ask', arguments: {}, task: {} } });
    const { taskId } = (((await made.json()) as Body).result?.['task'] ?? {}) as { taskId: string };
    const lost = await send({ id: 2, method: 'tasks/result', params: { taskId } });
    expect(await nextMessage(lost)).toMatchObject({ method: 'elicitation/create' });
    // In this revision that is no cancellation: the server does not know that nobody reads this any more.
    lost.hangUp();
    const stream = await send({ id: 3, method: 'tasks/result', params: { taskId } });
    for (let number = 0; number < 2; number++) {
      const { id, method } = await nextMessage(stream);
      expect(method).toBe('elicitation/create');
      await send({ id, result: accept('x') });
    }
    expect(await nextMessage(stream)).toMatchObject({ id: 3, result: { content: [{ type: 'text' }] } });
  });
});
