/** Web pages and rebound names: who is not let in, whatever is asked, wherever. */

import { fetchHandler } from 'mcpp/fetch';
import { type HttpOptions, nodeHandler } from 'mcpp/http';
import { describe, expect, test } from 'vitest';
import { FACES, node, post } from './faces.ts';
import { call, initialize, POST, stateless, statelessHeaders } from './messages.ts';
import { answerTo, rawRequest } from './raw.ts';
import { makeStage } from './stage.ts';

const METHODS = ['POST', 'GET', 'DELETE', 'OPTIONS', 'PUT', 'PATCH', 'HEAD'];
const TARGETS = ['/mcp', '/', '/elsewhere?sessionId=1', '/.well-known/oauth-protected-resource'];

const ORIGINS = [
  'http://evil.example',
  'null',
  'http://localhost.evil.example',
  'http://localhost@evil.example',
  'http://evil.example#localhost',
  'http://localhost:1/localhost',
  'file://',
  'garbage',
  'http://evil.example, http://localhost',
];

const HOSTS = [
  'evil.example',
  'evil.example:80',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'localhost.',
  '0.0.0.0',
  '[::ffff:127.0.0.1]',
];

describe.each(FACES)('through $name', ({ name, open }) => {
  test.each(ORIGINS)('a page of the origin "%s" gets 403 and no word of CORS, whatever it asks', async (origin) => {
    const reached = await open(makeStage().server, { sse: true });
    for (const method of METHODS) {
      for (const target of TARGETS) {
        const answer = await reached.send({
          method,
          target,
          headers: {
            origin,
            accept: 'text/event-stream, text/html',
            'access-control-request-method': 'POST',
            ...(method === 'POST' ? POST : {}),
          },
          ...(method === 'POST' ? { body: JSON.stringify(initialize()) } : {}),
        });
        expect([method, target, answer.status]).toEqual([method, target, 403]);
        expect(answer.header('access-control-allow-origin')).toBeUndefined();
        expect(answer.header('mcp-session-id')).toBeUndefined();
        const text = await answer.text();
        expect(text).toContain(method === 'HEAD' ? '' : 'Set the option \\"origins\\"');
        expect(text).not.toContain(origin === 'null' ? 'evil' : origin);
      }
    }
    await reached.close();
  });

  test.each(HOSTS)('a request to the host "%s" gets 403, whatever it asks', async (host) => {
    const reached = await open(makeStage().server, { sse: true });
    for (const method of METHODS) {
      for (const target of TARGETS) {
        const answer = await reached.send({
          method,
          target,
          headers: { host, accept: 'text/event-stream, text/html', ...(method === 'POST' ? POST : {}) },
          ...(method === 'POST' ? { body: JSON.stringify(initialize()) } : {}),
        });
        expect([method, target, answer.status]).toEqual([method, target, 403]);
        const text = await answer.text();
        expect(text).toContain(method === 'HEAD' ? '' : 'Set the option \\"hosts\\"');
      }
    }
    await reached.close();
  });

  test('every name of this machine is answered to, at any port, in any case', async () => {
    const reached = await open(makeStage().server);
    for (const host of ['localhost', 'LocalHost:8080', '127.0.0.1', '127.1.2.3:1', '[::1]', '[::1]:3000']) {
      const answer = await post(reached, initialize(), { host });
      expect([host, answer.status]).toEqual([host, 200]);
    }
    await reached.close();
  });

  test('a page of the host itself may call it', async () => {
    const reached = await open(makeStage().server);
    const own = await post(reached, initialize(), { host: 'localhost:3000', origin: 'http://localhost:3000' });
    expect(own.status).toBe(200);
    expect(own.header('access-control-allow-origin')).toBe('http://localhost:3000');
    await reached.close();
  });

  test.each(['http://localhost:5173', 'http://127.0.0.1:6274', 'http://[::1]:8080', 'https://localhost'])(
    'a page of this machine, %s, may call nodeHandler without options, and never fetchHandler',
    async (origin) => {
      const statusWith = async (options: HttpOptions): Promise<number> => {
        const reached = await open(makeStage().server, options);
        const answer = await post(reached, initialize(), { host: 'localhost:3000', origin });
        expect(answer.header('access-control-allow-origin')).toBe(answer.status === 200 ? origin : undefined);
        await reached.close();
        return answer.status;
      };
      expect(await statusWith({})).toBe(name === 'node' ? 200 : 403);
      expect(await statusWith({ origins: [] })).toBe(403);
      expect(await statusWith({ origins: ['https://app.example.com'] })).toBe(403);
      expect(await statusWith({ hosts: ['localhost'] })).toBe(403);
      expect(await statusWith({ hosts: 'any' })).toBe(403);
      expect(await statusWith({ auth: () => ({ subject: 'alice' }) })).toBe(403);
    },
  );

  test('the first page that is refused is reported, with what to do, and no other', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    await post(reached, initialize(), { host: 'evil.example' });
    expect(stage.errors).toEqual([]);
    for (const origin of ['https://app.example.com', 'https://evil.example', 'null']) {
      expect((await post(reached, initialize(), { origin })).status).toBe(403);
    }
    expect(stage.errors.map(String)).toEqual([
      'Error: A web page of https://app.example.com got 403, which its browser shows as a CORS error. The Origin header names a ' +
        'web page that may not call this server. Set the option "origins" to those that may, for instance ' +
        'origins: ["https://app.example.com"]. This is reported once.',
    ]);
    await reached.close();
  });

  test('a page that rebinds its own name has the right origin and the wrong host', async () => {
    const reached = await open(makeStage().server);
    const answer = await post(reached, initialize(), { host: 'evil.example', origin: 'http://evil.example' });
    expect(answer.status).toBe(403);
    await reached.close();
  });

  test('"hosts" says by which names it is reached, with or without a port', async () => {
    const reached = await open(makeStage().server, { hosts: ['mcp.example.com', 'Other.example:8443'] });
    const status = async (host: string): Promise<number> => (await post(reached, initialize(), { host })).status;
    expect(await status('mcp.example.com')).toBe(200);
    expect(await status('MCP.example.com:99')).toBe(200);
    expect(await status('other.example:8443')).toBe(200);
    expect(await status('other.example')).toBe(403);
    expect(await status('localhost')).toBe(403);
    await reached.close();
  });

  test('"origins" says which pages may call it; each is told that it may, and nobody else', async () => {
    const reached = await open(makeStage().server, { origins: ['https://app.example.com'] });
    const yes = await post(reached, initialize(), { origin: 'https://app.example.com' });
    expect(yes.status).toBe(200);
    expect(yes.header('access-control-allow-origin')).toBe('https://app.example.com');
    expect(yes.header('vary')).toBe('Origin');
    const no = await post(reached, initialize(), { origin: 'http://app.example.com' });
    expect(no.status).toBe(403);
    await reached.close();
  });

  test('with "auth" any host will do, because nobody gets in by being near', async () => {
    const reached = await open(makeStage().server, { auth: () => ({ status: 401 }) });
    const answer = await post(reached, initialize(), { host: 'mcp.example.com' });
    expect(answer.status).toBe(401);
    await reached.close();
  });
});

describe('on the wire', () => {
  const body = JSON.stringify(stateless(1, 'tools/list'));
  const fields = Object.entries(statelessHeaders(stateless(1, 'tools/list'))).map(
    ([name, value]) => `${name}: ${value}`,
  );

  test.each([
    ['two Host lines, whichever is first', ['Host: localhost', 'Host: evil.example']],
    ['two Host lines, the other way round', ['Host: evil.example', 'Host: localhost']],
    ['the same Host twice', ['Host: localhost', 'Host: localhost']],
    ['an Origin in two lines', ['Host: localhost', 'Origin: http://localhost', 'Origin: http://evil.example']],
  ])('%s get 403', async (_, hosts) => {
    const reached = await node.open(makeStage().server);
    const answer = await answerTo(reached.port, rawRequest('POST /mcp HTTP/1.1', [...hosts, ...fields], body));
    expect(answer.status).toBe(403);
    await reached.close();
  });

  test('a request without a Host gets 400 from Node, and 403 where the version of HTTP does not ask for one', async () => {
    const reached = await node.open(makeStage().server);
    expect((await answerTo(reached.port, rawRequest('POST /mcp HTTP/1.1', fields, body))).head).toMatch(
      /^HTTP\/1.1 400/,
    );
    expect((await answerTo(reached.port, rawRequest('POST /mcp HTTP/1.0', fields, body))).status).toBe(403);
    await reached.close();
  });

  test('a host in the first line counts like one in the header', async () => {
    const reached = await node.open(makeStage().server);
    const status = async (line: string): Promise<number> =>
      (await answerTo(reached.port, rawRequest(line, ['Host: localhost', ...fields], body))).status;
    expect(await status('POST http://evil.example/mcp HTTP/1.1')).toBe(403);
    expect(await status('POST http://localhost@evil.example/mcp HTTP/1.1')).toBe(403);
    expect(await status('POST http://localhost/mcp HTTP/1.1')).toBe(200);
    await reached.close();
  });
});

test.each([
  [{ hosts: ['http://mcp.example.com'] }, 'hosts: "http://mcp.example.com" is no host name'],
  [{ hosts: 'mcp.example.com' as 'any' }, 'hosts must be a list'],
  [{ origins: ['app.example.com'] }, 'origins: "app.example.com" is no origin'],
  [{ origins: 'https://app.example.com' as 'any' }, 'origins must be a list'],
])('%j is refused when the handler is made', (options, message) => {
  const { server } = makeStage();
  expect(() => nodeHandler(server, options)).toThrow(message);
  expect(() => fetchHandler(server, options)).toThrow(message);
});

test('calls are not begun for strangers', async () => {
  const stage = makeStage();
  const reached = await node.open(stage.server);
  const request = call(1, 'wait', { name: 'stranger' }, true);
  const answer = await post(reached, request, { ...statelessHeaders(request), host: 'evil.example' });
  expect(answer.status).toBe(403);
  const own = call(1, 'wait', { name: 'own' }, true);
  const asked = reached.ask({ headers: statelessHeaders(own), body: JSON.stringify(own) });
  const begun = await stage.begun();
  expect(begun.name).toBe('own');
  begun.end('done');
  expect((await asked.answer).status).toBe(200);
  await reached.close();
});
