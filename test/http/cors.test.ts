/** What browsers are told, so that web pages of other origins can be clients. */

import { describe, expect, test } from 'vitest';
import { FACES, openSession, post } from './faces.ts';
import { call, initialize, statelessHeaders } from './messages.ts';
import { makeStage } from './stage.ts';

const origin = 'https://app.example.com';

describe.each(FACES)('through $name', ({ open }) => {
  test('a page that may call is told before: the methods, the headers it wants to send, for a day', async () => {
    const reached = await open(makeStage().server, { origins: [origin] });
    const answer = await reached.send({
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,mcp-session-id,mcp-param-region,authorization',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.header('access-control-allow-origin')).toBe(origin);
    expect(answer.header('access-control-allow-methods')).toBe('GET, POST, DELETE');
    expect(answer.header('access-control-allow-headers')).toBe(
      'content-type,mcp-session-id,mcp-param-region,authorization',
    );
    expect(answer.header('access-control-max-age')).toBe('86400');
    expect(answer.header('access-control-allow-credentials')).toBeUndefined();
    await reached.close();
  });

  test('nobody has to say who it is to ask what it may do', async () => {
    const reached = await open(makeStage().server, { origins: [origin], auth: () => ({ status: 401 }) });
    const headers = { origin, 'access-control-request-method': 'POST' };
    expect((await reached.send({ method: 'OPTIONS', headers })).status).toBe(204);
    const refused = await post(reached, initialize(), { origin });
    expect([refused.status, refused.header('access-control-allow-origin')]).toEqual([401, origin]);
    expect(refused.header('access-control-expose-headers')).toContain('WWW-Authenticate');
    await reached.close();
  });

  test('header names that are none are not repeated', async () => {
    const reached = await open(makeStage().server, { origins: [origin] });
    const answer = await reached.send({
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-headers': 'x; <script>' },
    });
    expect([answer.status, answer.header('access-control-allow-headers')]).toEqual([204, '']);
    await reached.close();
  });

  test('every answer lets the page read what it needs: results, streams, refusals', async () => {
    const reached = await open(makeStage().server, { origins: [origin] });
    const session = await openSession(reached, { headers: { origin } });
    const request = call(1, 'echo', { text: 'x' }, true);
    const answers = [
      await post(reached, request, { ...statelessHeaders(request), origin }),
      await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } }),
      await post(reached, { jsonrpc: '2.0', id: 1, method: 'ping' }, { origin, 'mcp-session-id': 'unknown' }),
      await reached.send({ method: 'PUT', headers: { origin } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 405]);
    for (const answer of answers) {
      expect(answer.header('access-control-allow-origin')).toBe(origin);
      expect(answer.header('access-control-expose-headers')).toContain('Mcp-Session-Id');
      expect(answer.header('vary')).toBe('Origin');
      answer.hangUp();
    }
    await reached.close();
  });

  test('with origins: "any" each page is told its own origin, never a star', async () => {
    const reached = await open(makeStage().server, { origins: 'any' });
    for (const one of [origin, 'null', 'chrome-extension://abc']) {
      const answer = await post(reached, initialize(), { origin: one });
      expect([answer.status, answer.header('access-control-allow-origin')]).toEqual([200, one]);
    }
    await reached.close();
  });
});
