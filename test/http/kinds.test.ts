/** What kinds of content are taken and given, and which methods there are. */

import { describe, expect, test } from 'vitest';
import { messagesOf } from './events.ts';
import { FACES, node, openSession, post } from './faces.ts';
import { call, initialize, stateless, statelessHeaders } from './messages.ts';
import { answerTo, rawRequest } from './raw.ts';
import { makeStage } from './stage.ts';

const request = stateless(1, 'tools/call', { name: 'echo', arguments: { text: 'hi' } });
const { 'content-type': _type, accept: _accept, ...OTHER } = statelessHeaders(request);
const body = JSON.stringify(request);

describe.each(FACES)('through $name', ({ open, name }) => {
  test.each([
    ['text/plain'],
    ['text/plain; x=application/json'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=application/json'],
    ['application/jsonp'],
    ['text/json'],
    [undefined],
  ])('a body of the type %s gets 415: browsers send those without asking first', async (type) => {
    const reached = await open(makeStage().server);
    const headers = { ...OTHER, accept: '*/*', ...(type === undefined ? {} : { 'content-type': type }) };
    const answer = await reached.send({ headers, body });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'The body must be application/json' },
    });
    await reached.close();
  });

  test.each([['Application/JSON'], ['application/json; charset="UTF-8"'], ['application/json;charset=utf-8 ']])(
    'a body of the type %s is read',
    async (type) => {
      const reached = await open(makeStage().server);
      const answer = await reached.send({ headers: { ...OTHER, accept: '*/*', 'content-type': type }, body });
      expect(answer.status).toBe(200);
      await reached.close();
    },
  );

  test('a compressed body gets 415: nothing is inflated', async () => {
    const reached = await open(makeStage().server);
    const headers = { ...OTHER, accept: '*/*', 'content-type': 'application/json' };
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip']) {
      const answer = await reached.send({ headers: { ...headers, 'content-encoding': encoding }, body });
      expect([encoding, answer.status]).toEqual([encoding, 415]);
    }
    const plain = await reached.send({ headers: { ...headers, 'content-encoding': 'Identity' }, body });
    expect(plain.status).toBe(200);
    await reached.close();
  });

  test.each([
    ['application/json', 'application/json'],
    ['application/json, text/event-stream', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['*/*', 'application/json'],
    ['application/*;q=0.5', 'application/json'],
    ['text/*', 'text/event-stream'],
    ['APPLICATION/JSON ; q=1', 'application/json'],
    ['text/html, */*;q=0.1', 'application/json'],
    ['application/json;q=0, */*', 'text/event-stream'],
    ['', 'application/json'],
    [undefined, 'application/json'],
  ])('whoever accepts "%s" is answered with %s', async (accept, type) => {
    const reached = await open(makeStage().server);
    const headers = { ...OTHER, 'content-type': 'application/json', ...(accept === undefined ? {} : { accept }) };
    const answer = await reached.send({ headers, body });
    expect([answer.status, answer.header('content-type')]).toEqual([200, type]);
    const [response] = type === 'application/json' ? [await answer.json()] : await messagesOf(answer);
    expect(response).toMatchObject({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'hi' }] } });
    await reached.close();
  });

  test.each([['text/html'], ['application/xml'], ['*/*;q=0'], ['application/json;q=0'], ['application/json;q=0.000']])(
    'whoever accepts only "%s" gets 406, and nothing is run',
    async (accept) => {
      const reached = await open(makeStage().server);
      const answer = await reached.send({ headers: { ...OTHER, 'content-type': 'application/json', accept }, body });
      expect(answer.status).toBe(406);
      expect(await answer.text()).toContain('accept one of them');
      await reached.close();
    },
  );

  test('whoever accepts only streams gets an answer of one event in one piece, in a session as without', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached);
    const ways = [
      { headers: { ...statelessHeaders(request), accept: 'text/event-stream' }, body },
      {
        headers: { ...session, 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify(call(1, 'echo', { text: 'hi' })),
      },
    ];
    for (const way of ways) {
      const answer = await reached.send(way);
      expect(answer.header('content-type')).toBe('text/event-stream');
      const text = await answer.text();
      if (name === 'node') expect(answer.header('content-length')).toBe(String(text.length));
      expect(text).toMatch(/^event: message\ndata: \{"jsonrpc":"2\.0","id":1,"result":\{.*\}\n\n$/);
    }
    await reached.close();
  });

  test('an error that has a status of its own has it also for whoever accepts only streams', async () => {
    const reached = await open(makeStage().server);
    const unknown = stateless(1, 'no/such');
    const headers = { ...statelessHeaders(unknown), accept: 'text/event-stream' };
    const answer = await reached.send({ headers, body: JSON.stringify(unknown) });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32601 } });
    await reached.close();
  });

  test('a client that takes no streams is told nothing but its answer', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const waiting = call(1, 'wait', { name: 'a' }, true);
    const headers = { ...statelessHeaders(waiting), accept: 'application/json' };
    const asked = reached.ask({ headers, body: JSON.stringify(waiting) });
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    begun.end('done');
    const answer = await asked.answer;
    expect(answer.header('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    await reached.close();
  });

  const others = ['PUT', 'PATCH', 'HEAD', 'PROPFIND', ...(name === 'node' ? ['TRACE'] : [])];
  test.each(['GET', 'DELETE'])(
    '%s of a revision without sessions gets 405, whatever else is served',
    async (method) => {
      for (const options of [{}, { sse: true }, { sse: true, sessions: false }]) {
        const reached = await open(makeStage().server, options);
        const headers = { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' };
        const answer = await reached.send({ method, headers });
        expect([answer.status, answer.header('allow')]).toEqual([405, 'POST']);
        await reached.close();
      }
    },
  );

  test.each(others)('%s gets 405 with the methods there are', async (method) => {
    const reached = await open(makeStage().server);
    const answer = await reached.send({ method });
    expect([answer.status, answer.header('allow')]).toEqual([405, 'GET, POST, DELETE']);
    await answer.text();
    await reached.close();
  });

  test('a server without sessions has only POST', async () => {
    const only = makeStage({ revisions: ['2026-07-28'] });
    for (const reached of [await open(only.server), await open(makeStage().server, { sessions: false })]) {
      for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
        const answer = await reached.send({ method, headers: { accept: 'text/event-stream', 'mcp-session-id': 'x' } });
        expect([method, answer.status, answer.header('allow')]).toEqual([method, 405, 'POST']);
        await answer.text();
      }
      await reached.close();
    }
  });

  test('OPTIONS says what there is, to whoever is no browser', async () => {
    const reached = await open(makeStage().server);
    const answer = await reached.send({ method: 'OPTIONS' });
    expect([answer.status, answer.header('allow')]).toEqual([204, 'GET, POST, DELETE']);
    expect(answer.header('access-control-allow-origin')).toBeUndefined();
    await reached.close();
  });

  test('a stream is not to be changed or held back on its way', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached);
    const answer = await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } });
    expect(answer.status).toBe(200);
    expect(answer.header('content-type')).toBe('text/event-stream');
    expect(answer.header('cache-control')).toBe('no-cache, no-transform');
    expect(answer.header('x-accel-buffering')).toBe('no');
    answer.hangUp();
    await reached.close();
  });

  test('whoever opens a stream has to accept one', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached);
    const answer = await reached.send({ method: 'GET', headers: { ...session, accept: 'application/json' } });
    expect(answer.status).toBe(406);
    await reached.close();
  });

  test('an answer to HEAD has no body, and the connection goes on', async () => {
    const reached = await open(makeStage().server);
    expect(await (await reached.send({ method: 'HEAD' })).text()).toBe('');
    expect((await post(reached, initialize())).status).toBe(200);
    await reached.close();
  });
});

test('two Content-Type lines are none', async () => {
  const reached = await node.open(makeStage().server);
  const fields = ['Host: localhost', 'Content-Type: application/json', 'Content-Type: text/plain'];
  const answer = await answerTo(reached.port, rawRequest('POST /mcp HTTP/1.1', fields, body));
  expect(answer.status).toBe(415);
  await reached.close();
});
