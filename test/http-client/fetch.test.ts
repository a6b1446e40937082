/** A fetch of one's own: the same client over it. */

import { type ConnectOptions, connect } from 'mcpp/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bytesServer, closeAll, eventually, rawServer, stateful, stateless } from './raw-server.ts';

const unhandled = vi.fn();

beforeEach(() => {
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});

afterEach(async () => {
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  await closeAll();
});

/** The runtime's, and what it was asked. */
function watched(): { fetch: typeof fetch; calls: { url: string; init: RequestInit | undefined }[] } {
  const calls: { url: string; init: RequestInit | undefined }[] = [];
  return {
    calls,
    fetch: (url, init) => {
      calls.push({ url: String(url), init });
      return fetch(url, init);
    },
  };
}

const complete = (value: object): object => ({ resultType: 'complete', ...value });

test('every request goes through it, and redirects are looked at before they are followed', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) =>
      visit.path === '/mcp' ? visit.status(307, { location: '/other' }) : visit.result(complete({ content: [] })),
    'prompts/get': (visit) => {
      visit.response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      visit.event({ data: visit.answer(complete({ messages: [] })) });
      visit.response.end();
    },
  });
  const { fetch, calls } = watched();
  const mcp = await connect(server.url, { fetch, headers: { 'x-mine': '1' } });
  expect(await mcp.callTool('tool')).toMatchObject({ content: [] });
  expect(await mcp.getPrompt('p')).toMatchObject({ messages: [] });
  await mcp.close();
  expect(calls.map(({ url }) => url)).toEqual([server.url, server.url, `${server.origin}/other`, server.url]);
  for (const { init } of calls) expect(init).toMatchObject({ method: 'POST', redirect: 'manual' });
  for (const { headers } of server.visits) expect(headers['x-mine']).toBe('1');
});

test('a session with its stream, its cancellations and its end', async () => {
  const server = await rawServer({
    ...stateful(),
    'tools/call': (visit) => visit.event({ id: 'a', data: '' }),
    GET: (visit) => visit.event({ data: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } }),
  });
  const onNotification = vi.fn();
  const mcp = await connect(server.url, { fetch: watched().fetch, onNotification });
  await eventually(() => onNotification.mock.calls.length === 1);
  await expect(mcp.callTool('slow', {}, { timeout: 50 })).rejects.toMatchObject({ code: 'timeout' });
  await server.to('tools/call')[0]?.over;
  await eventually(() => server.to('notifications/cancelled').length === 1);
  await mcp.close();
  expect(server.to('DELETE')).toHaveLength(1);
  await server.to('GET')[0]?.over;
});

test('a response that is cut rejects the call, and too large a one as well', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"result":{';
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
  const url = await bytesServer(() => ({ bytes: `${head}${body}`, breaks: true }));
  await expect(connect(url, { fetch: watched().fetch })).rejects.toMatchObject({ code: 'closed' });
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => {
      visit.response.on('error', () => {});
      visit.response.writeHead(200, { 'content-type': 'application/json' }).write('x'.repeat(5000));
    },
  });
  const mcp = await connect(server.url, { fetch: watched().fetch, maxResponseBytes: 1000 });
  await expect(mcp.callTool('tool')).rejects.toMatchObject({ code: 'too-large' });
  await server.to('tools/call')[0]?.over;
  await mcp.close();
});

test('what it fails with is told', async () => {
  const server = await rawServer({});
  await server.close();
  await expect(connect(server.url, { fetch: watched().fetch })).rejects.toMatchObject({
    code: 'unreachable',
    message: `Cannot reach ${server.url}: nothing listens there: is the server running, and is it this port? (ECONNREFUSED)`,
  });
  const rude: ConnectOptions['fetch'] = () => Promise.reject('no');
  await expect(connect(server.url, { fetch: rude })).rejects.toMatchObject({ code: 'unreachable' });
});

test('hanging up ends the body also if it does not heed its signal', async () => {
  const server = await rawServer(stateless);
  const onCancel = vi.fn();
  const deaf: typeof fetch = async (url, { signal: _, ...init } = {}) => {
    if (!String(init.body).includes('tools/call')) return fetch(url, init);
    const headers = { 'content-type': 'text/event-stream' };
    return new Response(new ReadableStream({ cancel: onCancel }), { headers });
  };
  const mcp = await connect(server.url, { fetch: deaf });
  const abort = new AbortController();
  const call = mcp.callTool('tool', {}, { signal: abort.signal });
  setTimeout(() => abort.abort(), 0);
  await expect(call).rejects.toMatchObject({ code: 'aborted' });
  await vi.waitFor(() => expect(onCancel).toHaveBeenCalledTimes(1));
  await mcp.close();
});

test('a browser that does not say why it sent nothing may do for an older server', async () => {
  const server = await rawServer(stateful());
  // As for a request whose headers a server does not allow.
  const strict: typeof fetch = (url, init) =>
    'mcp-method' in (init?.headers ?? {}) ? Promise.reject(new TypeError('Failed to fetch')) : fetch(url, init);
  const mcp = await connect(server.url, { fetch: strict });
  expect(mcp.revision).toBe('2025-11-25');
  await mcp.close();
  const blocked: typeof fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  await expect(connect(server.url, { fetch: blocked })).rejects.toMatchObject({
    code: 'unreachable',
    message: `Cannot reach ${server.url}: Failed to fetch`,
  });
});

test('a redirect that a browser hides is not followed', async () => {
  const opaque = { type: 'opaqueredirect', status: 0, headers: new Headers(), body: null } as unknown as Response;
  const connecting = connect('http://127.0.0.1:1/mcp', { fetch: async () => opaque });
  await expect(connecting).rejects.toMatchObject({
    code: 'http-error',
    message:
      'http://127.0.0.1:1/mcp redirects (HTTP status 302) and names no http: or https: URL: connect to the URL that the server has now',
  });
});

test('one that does not heed its signal is not listened to any more', async () => {
  let cancelled = 0;
  const server = await rawServer({ ...stateless });
  const deaf: typeof fetch = async (url, init) => {
    const { signal: _signal, ...rest } = init ?? {};
    if (!String(rest.body).includes('tools/call')) return fetch(url, rest);
    const endless = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setImmediate(resolve));
        controller.enqueue(new TextEncoder().encode(':\n\n'));
      },
      cancel: () => void cancelled++,
    });
    return new Response(endless, { headers: { 'content-type': 'text/event-stream' } });
  };
  const mcp = await connect(server.url, { fetch: deaf });
  const giveUp = new AbortController();
  const call = mcp.callTool('slow', {}, { signal: giveUp.signal }).catch((error: unknown) => error);
  setImmediate(() => giveUp.abort());
  expect(await call).toMatchObject({ code: 'aborted' });
  await eventually(() => cancelled === 1);
  await mcp.close();
});
