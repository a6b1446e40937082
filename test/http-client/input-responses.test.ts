/** Responses to input requests of a server, over connections that break. */

import { connect } from 'mcpp/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Answers, closeAll, rawServer, stateful, type Visit } from './raw-server.ts';

afterEach(closeAll);

const QUESTION = {
  jsonrpc: '2.0',
  id: 'q',
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
};
const ANSWER = { jsonrpc: '2.0', id: 'q', result: { action: 'accept', content: {} } };

type Refuse = (visit: Visit) => void;
const reset: Refuse = (visit) => void visit.response.socket?.resetAndDestroy();
const hangUp: Refuse = (visit) => void visit.response.destroy();

/** Asks during a call, and answers the call when the response arrives, after `failures` of them were refused. */
function asking(failures: number, refuse: Refuse): Answers {
  let tries = 0;
  let call: Visit | undefined;
  return {
    'tools/call': (visit) => {
      call = visit;
      visit.event({ data: QUESTION });
    },
    response: (visit) => {
      if (++tries <= failures) return refuse(visit);
      visit.status(202);
      call?.event({ data: call.answer({ content: [] }) });
      call?.response.end();
    },
  };
}

const posted = (visits: readonly Visit[]): unknown[] =>
  visits.filter(({ message }) => message.id === 'q').map(({ message }) => message);

describe('a response whose connection breaks is sent again, and the call goes on', () => {
  // The first failure may be that of a connection that was kept open, which is not used a second time anyway.
  test.each<[string, Refuse]>([
    ['reset', reset],
    ['closed', hangUp],
    ['answered with 503', (visit) => visit.status(503)],
  ])('%s twice', async (_how, refuse) => {
    const onError = vi.fn();
    const server = await rawServer({ ...stateful(), ...asking(2, refuse) });
    const mcp = await connect(server.url, { onError, onElicit: () => ({ action: 'accept', content: {} }) });
    expect(await mcp.callTool('order')).toEqual({ content: [] });
    const sent = posted(server.visits);
    expect(sent).toEqual(sent.map(() => ANSWER));
    expect(sent).toHaveLength(3);
    expect(onError).not.toHaveBeenCalled();
    await mcp.close();
  });

  test('over HTTP+SSE as well', async () => {
    let tries = 0;
    let call: Visit | undefined;
    const say = (data: object): void => server.to('GET')[0]?.event({ event: 'message', data });
    const server = await rawServer({
      'server/discover': (visit) => visit.status(405),
      initialize: (visit) => {
        if (visit.path === '/mcp') return visit.status(405);
        visit.status(202);
        const serverInfo = { name: 'old', version: '1' };
        say(visit.answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }));
      },
      'tools/call': (visit) => {
        call = visit;
        visit.status(202);
        say(QUESTION);
      },
      response: (visit) => {
        if (++tries <= 2) return reset(visit);
        visit.status(202);
        if (call) say(call.answer({ content: [] }));
      },
      GET: (visit) => visit.event({ event: 'endpoint', data: '/messages' }),
    });
    const mcp = await connect(server.url, { onElicit: () => ({ action: 'accept', content: {} }) });
    expect(await mcp.callTool('order')).toEqual({ content: [] });
    expect(posted(server.visits)).toEqual([ANSWER, ANSWER, ANSWER]);
    await mcp.close();
  });
});

test('a response that the server refuses for good is sent once, and reported', async () => {
  const onError = vi.fn();
  const server = await rawServer({ ...stateful(), ...asking(1, (visit) => visit.status(400)) });
  const mcp = await connect(server.url, { onError, onElicit: () => ({ action: 'accept', content: {} }) });
  const call = mcp.callTool('order').catch((error: unknown) => error);
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
  expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'http-error', status: 400 });
  expect(posted(server.visits)).toHaveLength(1);
  await mcp.close();
  expect(await call).toMatchObject({ code: 'closed' });
});
