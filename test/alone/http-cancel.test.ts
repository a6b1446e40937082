/** However a call is taken back, its handler knows within 100 ms, and nothing is said for it afterwards. */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { messagesOf, nextMessage } from '../http/events.ts';
import { type Answer, type Asked, FACES, openSession, post, type Reached } from '../http/faces.ts';
import { call, type Headers, notification, POST, statelessHeaders } from '../http/messages.ts';
import { type Call, makeStage } from '../http/stage.ts';

const MOST = 100;

function ask(reached: Reached, session?: Headers): Asked {
  const message = call(1, 'stubborn', {}, session === undefined);
  const headers = session ? { ...POST, ...session } : statelessHeaders(message);
  return reached.ask({ headers, body: JSON.stringify(message) });
}

/** Milliseconds from the reason to the handler's signal. */
async function timeToAbort({ aborted }: Call, reason: () => unknown): Promise<number> {
  const begun = performance.now();
  reason();
  await aborted;
  return performance.now() - begun;
}

/** The handler says more and ends, as if it had not heard. */
async function goOn({ ctx, end }: Call): Promise<void> {
  ctx.reportProgress(99);
  ctx.log.error('late');
  end('late');
  await setImmediate();
}

async function bodyOf(answer: Promise<Answer>): Promise<string> {
  return answer.then((one) => one.text()).catch(() => '');
}

describe.each(FACES)('through $name', ({ open }) => {
  test.each([
    ['before anything was said', false],
    ['on a stream that is open', true],
  ])('a notification cancels it, %s', async (_, isSpeaking) => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = ask(reached, session);
    const begun = await stage.begun();
    if (isSpeaking) begun.ctx.reportProgress(1);
    const cancel = notification('notifications/cancelled', { requestId: 1, reason: 'Changed my mind' });
    expect(await timeToAbort(begun, () => post(reached, cancel, session))).toBeLessThan(MOST);
    expect(begun.ctx.signal.reason).toMatchObject({ message: 'Changed my mind' });
    await goOn(begun);
    const answer = await asked.answer;
    expect([answer.status, answer.header('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await messagesOf(answer)).toMatchObject(isSpeaking ? [{ method: 'notifications/progress' }] : []);
    await reached.close();
  });

  test.each([
    ['before there is an answer', false],
    ['while it reads the stream', true],
  ])('a stateless client hangs up %s', async (_, isSpeaking) => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const asked = ask(reached);
    const begun = await stage.begun();
    let hangUp = asked.hangUp;
    if (isSpeaking) {
      begun.ctx.reportProgress(1);
      const answer = await asked.answer;
      await answer.next();
      hangUp = answer.hangUp;
    }
    expect(await timeToAbort(begun, hangUp)).toBeLessThan(MOST);
    await goOn(begun);
    expect(await bodyOf(asked.answer)).not.toContain('late');
    expect(stage.errors).toEqual([]);
    await reached.close();
  });

  test('its session is deleted', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = ask(reached, session);
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const reason = (): unknown => reached.send({ method: 'DELETE', headers: session });
    expect(await timeToAbort(begun, reason)).toBeLessThan(MOST);
    await goOn(begun);
    expect(await messagesOf(await asked.answer)).toMatchObject([{ method: 'notifications/progress' }]);
    await reached.close();
  });

  test.each([
    ['a stateless one', false],
    ['one in a session', true],
  ])('the time for %s is up', async (_, isStateful) => {
    const handlerMs = 200;
    const stage = makeStage({ limits: { handlerMs } });
    const reached = await open(stage.server);
    const session = isStateful ? await openSession(reached) : undefined;
    const asked = ask(reached, session);
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const elapsed = await timeToAbort(begun, () => {});
    expect(elapsed).toBeLessThan(handlerMs + MOST);
    const answer = await asked.answer;
    const messages = [await nextMessage(answer), await nextMessage(answer)];
    await goOn(begun);
    expect([...messages, ...(await messagesOf(answer))]).toMatchObject([
      { method: 'notifications/progress', params: { progress: 1 } },
      { id: 1, error: { code: -32603, message: `The request took more than ${handlerMs} ms` } },
    ]);
    await reached.close();
  });

  test.each([
    ['a stateless one', false],
    ['one in a session', true],
  ])('the server closes while %s runs', async (_, isStateful) => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = isStateful ? await openSession(reached) : undefined;
    const asked = ask(reached, session);
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const read = asked.answer.then(messagesOf);
    let closed: Promise<void> = Promise.resolve();
    const elapsed = await timeToAbort(begun, () => {
      closed = reached.close();
    });
    expect(elapsed).toBeLessThan(MOST);
    await closed;
    await goOn(begun);
    expect(await read).toMatchObject([{ method: 'notifications/progress', params: { progress: 1 } }]);
  });
});
