/** 2026-07-28 over HTTP: one POST per request, with what it is about repeated in its headers. */

import { connect } from 'mcpp/client';
import { afterEach, expect, test, vi } from 'vitest';
import { type Answers, closeAll, rawServer, stateless, TOOL } from './raw-server.ts';

afterEach(closeAll);

const complete = (value: object): object => ({ resultType: 'complete', ...value });
const CALL: Answers = {
  'tools/call': (visit) => visit.result(complete({ content: [{ type: 'text', text: 'done' }] })),
};

test('a request is one POST, and its version, method and name stand in its headers', async () => {
  const server = await rawServer({
    ...stateless,
    ...CALL,
    'resources/read': (visit) => visit.result(complete({ contents: [], ttlMs: 0, cacheScope: 'public' })),
    'tools/list': (visit) => visit.result(complete({ tools: [], ttlMs: 0, cacheScope: 'public' })),
  });
  const mcp = await connect(server.url);
  expect(mcp.revision).toBe('2026-07-28');
  await mcp.listTools();
  await mcp.callTool('größer', {});
  await mcp.readResource('file:///path/to/file%20name.txt');
  await mcp.close();

  const seen = server.visits.map(({ method, headers }) => [
    method,
    headers['mcp-protocol-version'],
    headers['mcp-method'],
    headers['mcp-name'],
  ]);
  expect(seen).toEqual([
    ['POST', '2026-07-28', 'server/discover', undefined],
    ['POST', '2026-07-28', 'tools/list', undefined],
    ['POST', '2026-07-28', 'tools/call', '=?base64?Z3LDtsOfZXI=?='],
    ['POST', '2026-07-28', 'resources/read', 'file:///path/to/file%20name.txt'],
  ]);
  for (const { headers, message } of server.visits) {
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
    expect(headers['mcp-session-id']).toBeUndefined();
    expect(message.params?.['_meta']).toMatchObject({ 'io.modelcontextprotocol/protocolVersion': '2026-07-28' });
  }
});

test('a stream carries progress and log messages, and then the answer', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => {
      const { progressToken } = (visit.message.params?.['_meta'] ?? {}) as { progressToken?: number };
      visit.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      visit.response.write(': hello\n\n');
      const notice = (method: string, params: object): void =>
        visit.event({ data: { jsonrpc: '2.0', method, params } });
      notice('notifications/progress', { progressToken, progress: 1, total: 2 });
      notice('notifications/message', { level: 'info', data: 'working' });
      visit.event({ event: 'message', data: visit.answer(complete({ content: [] })) });
      visit.response.end();
    },
  });
  const onProgress = vi.fn();
  const onLog = vi.fn();
  const mcp = await connect(server.url, { logLevel: 'info', onLog });
  expect(await mcp.callTool('work', {}, { onProgress })).toMatchObject({ content: [] });
  expect(onProgress).toHaveBeenCalledWith({ progress: 1, total: 2 });
  expect(onLog).toHaveBeenCalledWith({ level: 'info', data: 'working' });
  await mcp.close();
});

test('headers of all requests and of one call are sent, and cannot replace the protocol’s own', async () => {
  const server = await rawServer({ ...stateless, ...CALL });
  let count = 0;
  const mcp = await connect(server.url, {
    headers: async () => ({ 'X-Count': String(++count), Authorization: 'Bearer t', ACCEPT: 'text/html' }),
  });
  const headers = { 'x-count': 'own', 'Mcp-Method': 'tools/list', 'Content-Length': '3', 'X-Trace': 'abc' };
  await mcp.callTool('tool', {}, { headers });
  const [discover, call] = server.visits;
  expect(discover?.headers).toMatchObject({ 'x-count': '1', authorization: 'Bearer t' });
  expect(call?.headers).toMatchObject({ 'x-count': 'own', 'x-trace': 'abc', 'mcp-method': 'tools/call' });
  expect(call?.headers.accept).toBe('application/json, text/event-stream');
  await mcp.close();
});

test('a header that cannot be sent, or a function that fails, rejects the call that needs it', async () => {
  const server = await rawServer({ ...stateless, ...CALL });
  const mcp = await connect(server.url);
  const call = mcp.callTool('tool', {}, { headers: { 'x-split': 'a\r\nb: c' } });
  await expect(call).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining('x-split') });
  expect(await mcp.callTool('tool', {})).toMatchObject({ content: [{ text: 'done' }] });
  await mcp.close();
  const failing = connect(server.url, { headers: () => Promise.reject(new Error('no token')) });
  await expect(failing).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining('no token') });
});

test('giving a call up hangs up, and nothing is posted for it', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => visit.event({ data: '' }),
  });
  const mcp = await connect(server.url);
  const giveUp = new AbortController();
  const call = mcp.callTool('slow', {}, { signal: giveUp.signal });
  await vi.waitFor(() => expect(server.to('tools/call')).toHaveLength(1));
  giveUp.abort();
  await expect(call).rejects.toMatchObject({ code: 'aborted' });
  await server.to('tools/call')[0]?.over;
  await expect(mcp.callTool('slow', {}, { timeout: 50 })).rejects.toMatchObject({ code: 'timeout' });
  await server.to('tools/call')[1]?.over;
  expect(server.visits.map(({ message }) => message.method)).toEqual(['server/discover', 'tools/call', 'tools/call']);
  await mcp.close();
});

test('bytes that keep a stream alive do not keep the call alive', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => {
      visit.event({ data: '' });
      const beat = setInterval(() => visit.response.write(':\n\n'), 5);
      void visit.over.then(() => clearInterval(beat));
    },
  });
  const mcp = await connect(server.url);
  await expect(mcp.callTool('slow', {}, { timeout: 100 })).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('tools/call "slow" timed out'),
  });
  await mcp.close();
});

test('an error is the server’s answer, whatever status it came with and even without an id', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => visit.error(-32602, undefined, 400),
    'prompts/get': (visit) => visit.json({ jsonrpc: '2.0', error: { code: -32600, message: 'odd' } }, 400),
    'resources/read': (visit) => visit.error(-32603, { why: 1 }, 500),
    'no/such': (visit) => visit.error(-32601, undefined, 404),
  });
  const mcp = await connect(server.url);
  await expect(mcp.callTool('tool')).rejects.toMatchObject({ name: 'RpcError', code: -32602 });
  await expect(mcp.getPrompt('p')).rejects.toMatchObject({ name: 'RpcError', code: -32600, message: 'odd' });
  await expect(mcp.readResource('a:b')).rejects.toMatchObject({ name: 'RpcError', code: -32603, data: { why: 1 } });
  await expect(mcp.request('no/such')).rejects.toMatchObject({ name: 'RpcError', code: -32601 });
  await mcp.close();
});

test('a status without an answer is an error that has the status', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => visit.response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>oops</h1>'),
    'prompts/get': (visit) => visit.status(418),
    'resources/read': (visit) => visit.error(-32000, undefined, 403),
  });
  const mcp = await connect(server.url);
  await expect(mcp.callTool('tool')).rejects.toMatchObject({
    code: 'http-error',
    status: 500,
    message: `${server.url} answered with HTTP status 500`,
  });
  await expect(mcp.getPrompt('p')).rejects.toMatchObject({ code: 'http-error', status: 418 });
  await expect(mcp.readResource('a:b')).rejects.toMatchObject({
    code: 'http-error',
    status: 403,
    cause: { code: -32000 },
  });
  await mcp.close();
});

test('an answer that is empty, of another type, or somebody else’s rejects the call', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => visit.status(202),
    'prompts/get': (visit) => visit.response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi</p>'),
    'resources/read': (visit) => visit.json({ jsonrpc: '2.0', id: 'other', result: {} }),
    'completion/complete': (visit) => visit.response.writeHead(200, { 'content-type': 'application/json' }).end('{"a'),
    'prompts/list': (visit) => visit.response.writeHead(200).end(),
  });
  const mcp = await connect(server.url);
  await expect(mcp.callTool('tool')).rejects.toMatchObject({ code: 'closed' });
  await expect(mcp.getPrompt('p')).rejects.toMatchObject({
    code: 'malformed',
    message: expect.stringContaining('answered with text/html, not with messages: is it the URL of an MCP server?'),
  });
  await expect(mcp.readResource('a:b')).rejects.toMatchObject({ code: 'closed' });
  const completion = mcp.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' });
  await expect(completion).rejects.toMatchObject({ code: 'malformed' });
  await expect(mcp.listPrompts()).rejects.toMatchObject({ code: 'closed' });
  await mcp.close();
});

test('a stream whose answer has come is not read for ever, however much is said on it', async () => {
  const server = await rawServer({
    ...stateless,
    'tools/call': (visit) => {
      visit.event({ data: visit.answer(complete({ content: [] })) });
      const beat = setInterval(() => visit.event({ data: visit.answer({}) }), 10);
      void visit.over.then(() => clearInterval(beat));
    },
  });
  const mcp = await connect(server.url);
  await mcp.callTool('tool');
  await server.to('tools/call')[0]?.over;
  await mcp.close();
});

test('connections are used again, and none is left when all is closed', async () => {
  const server = await rawServer({
    ...stateless,
    ...CALL,
    'tools/list': (visit) => visit.result(complete({ tools: [TOOL] })),
  });
  const mcp = await connect(server.url);
  for (let turn = 0; turn < 20; turn++) await mcp.callTool('tool', {});
  expect(await server.connections()).toBe(1);
  await Promise.all(Array.from({ length: 10 }, () => mcp.callTool('tool', {})));
  await mcp.close();
  await vi.waitFor(async () => expect(await server.connections()).toBe(0));
  await expect(mcp.callTool('tool')).rejects.toMatchObject({ code: 'closed' });
});
