/** A session on two nodes: its stores are shared, and each request may reach either of them. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryEventStore } from '../../src/store/events.ts';
import { memoryMailboxes } from '../../src/store/mailboxes.ts';
import { memorySessionStore } from '../../src/store/memory-sessions.ts';
import type { Letter, StoredSession } from '../../src/transport/http/server/options.ts';
import { messagesOf, nextMessage } from './events.ts';
import { type Answer, type Asked, node, openSession, post, type Reached } from './faces.ts';
import { call, type Headers, notification, POST } from './messages.ts';
import { makeStage, type Stage } from './stage.ts';

/** One node, and what happens on it. */
interface Node {
  readonly stage: Stage;
  readonly reached: Reached;
}

/** Promises in place of values: what is kept elsewhere takes its time. */
function elsewhere<T extends object>(store: T): T {
  return new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      // Reading letters is the one thing that begins at once.
      if (name === 'read') return method.bind(target);
      return async (...args: unknown[]) => method.apply(target, args);
    },
  });
}

let first: Node;
let second: Node;
let session: Headers;

beforeEach(async () => {
  const sessions = {
    store: elsewhere(memorySessionStore<StoredSession>()),
    events: elsewhere(memoryEventStore()),
    mailboxes: elsewhere(memoryMailboxes<Letter>()),
  };
  const start = async (): Promise<Node> => {
    const stage = makeStage();
    stage.server.registerTool('ask', {}, async (_, ctx) => {
      return (await ctx.elicit('Sure?', { type: 'object', properties: {} })).action;
    });
    return { stage, reached: await node.open(stage.server, { sessions }) };
  };
  [first, second] = [await start(), await start()];
  session = await openSession(first.reached, { capabilities: { elicitation: {} } });
});

afterEach(async () => {
  await Promise.all([first.reached.close(), second.reached.close()]);
  expect([first.stage.errors, second.stage.errors]).toEqual([[], []]);
});

function listen({ reached }: Node, last?: string): Promise<Answer> {
  const headers = { ...session, accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) };
  return reached.send({ method: 'GET', headers });
}

function ask({ reached }: Node, message: unknown): Asked {
  return reached.ask({ headers: { ...POST, ...session }, body: JSON.stringify(message) });
}

describe('what reaches the other node', () => {
  test('the answer to a question', async () => {
    const stream = await ask(first, call(1, 'ask')).answer;
    const { id } = await nextMessage(stream);
    expect((await post(second.reached, { jsonrpc: '2.0', id, result: { action: 'decline' } }, session)).status).toBe(
      202,
    );
    expect(await messagesOf(stream)).toMatchObject([{ id: 1, result: { content: [{ text: 'decline' }] } }]);
  });

  test('a cancellation', async () => {
    const asked = ask(first, call(1, 'wait'));
    const begun = await first.stage.begun();
    await post(second.reached, notification('notifications/cancelled', { requestId: 1, reason: 'enough' }), session);
    expect(String(await begun.aborted)).toContain('enough');
    expect(await messagesOf(await asked.answer)).toEqual([]);
  });

  test('the end of the session', async () => {
    const stream = await listen(first);
    const asked = ask(first, call(1, 'wait'));
    const begun = await first.stage.begun();
    expect((await second.reached.send({ method: 'DELETE', headers: session })).status).toBe(204);
    await begun.aborted;
    expect([await messagesOf(stream), await messagesOf(await asked.answer)]).toEqual([[], []]);
    expect((await listen(first)).status).toBe(404);
  });
});

describe('a client that comes back to the other node', () => {
  test('is told the rest of a call, and its answer', async () => {
    const asked = ask(first, call(1, 'wait'));
    const begun = await first.stage.begun();
    begun.ctx.reportProgress(1);
    const answer = await asked.answer;
    const primer = await answer.next();
    const again = await listen(second, primer?.id);
    begun.ctx.reportProgress(2);
    begun.end('done');
    expect(await messagesOf(again)).toMatchObject([
      { method: 'notifications/progress', params: { progress: 1 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { id: 1, result: { content: [{ text: 'done' }] } },
    ]);
  });

  test('ends the stream for changes it had, although that has said nothing yet', async () => {
    const before = await listen(first);
    const primer = await before.next();
    const again = await listen(second, primer?.id);
    expect(await messagesOf(before)).toEqual([]);
    second.stage.server.registerTool('new', {}, () => '');
    expect(await nextMessage(again)).toMatchObject({ method: 'notifications/tools/list_changed' });
    again.hangUp();
  });

  test('is told the changes it missed', async () => {
    const before = await listen(first);
    const primer = await before.next();
    before.hangUp();
    first.stage.server.registerTool('new', {}, () => '');
    const again = await listen(second, primer?.id);
    expect(await nextMessage(again)).toMatchObject({ method: 'notifications/tools/list_changed' });
    again.hangUp();
  });
});
