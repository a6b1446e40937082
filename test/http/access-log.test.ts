/** The option `onResponse`: an access log of every answer. */

import { type HttpOptions, type HttpResponseInfo, serveHttp } from 'mcpp/http';
import { RpcError } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { FACES, openSession, post, type Reached } from './faces.ts';
import { call, initialize, notification, POST, stateless, statelessHeaders } from './messages.ts';
import { makeStage, type Stage } from './stage.ts';

type Entry = Omit<HttpResponseInfo, 'ms' | 'request' | 'principal' | 'isStream'> & {
  readonly who?: string;
  readonly isStream?: true;
};

/** Collects the entries of a log, without what differs from run to run. */
function log(): { readonly entries: Entry[]; readonly onResponse: NonNullable<HttpOptions['onResponse']> } {
  const entries: Entry[] = [];
  return {
    entries,
    onResponse: ({ method, path, status, rpcMethod, principal, isStream, ms }) => {
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThan(60_000);
      const who = principal && { who: principal.subject };
      entries.push({ method, path, status, rpcMethod, ...who, ...(isStream && { isStream }) });
    },
  };
}

describe.each(FACES)('through $name', ({ open }) => {
  async function opened(options: HttpOptions = {}, stage: Stage = makeStage()) {
    const { entries, onResponse } = log();
    const reached = await open(stage.server, { onResponse, ...options });
    const status = async (answer: Promise<{ status: number; text(): Promise<string> }>): Promise<number> => {
      const { status: got, text } = await answer;
      await text();
      return got;
    };
    return { entries, reached, stage, status };
  }
  const listed = (reached: Reached, headers = {}) => {
    const list = stateless(1, 'tools/list');
    return post(reached, list, { ...statelessHeaders(list), ...headers });
  };

  test('answers are logged with the JSON-RPC method, the caller and no query', async () => {
    const { entries, reached, status } = await opened({ auth: () => ({ subject: 'ada' }) });
    const list = stateless(1, 'tools/list');
    const headers = { ...POST, ...statelessHeaders(list) };
    await status(reached.send({ target: '/mcp?key=secret', headers, body: JSON.stringify(list) }));
    await status(reached.send({ method: 'OPTIONS' }));
    expect(entries).toEqual([
      { method: 'POST', path: '/mcp', status: 200, rpcMethod: 'tools/list', who: 'ada' },
      { method: 'OPTIONS', path: '/mcp', status: 204, rpcMethod: undefined },
    ]);
    await reached.close();
  });

  test('refusals are logged: before the body is read, because of it, and by a handler', async () => {
    const stage = makeStage();
    stage.server.use((ctx, next) => {
      if (ctx.method === 'prompts/list') throw RpcError.tooManyRequests('Wait', { retryAfterMs: 1 });
      return next();
    });
    stage.server.registerPrompt('p', {}, () => 'text');
    const auth = (credentials: { token: string } | undefined) =>
      credentials ? { subject: credentials.token } : ({ status: 401 } as const);
    const { entries, reached, status } = await opened({ auth, limits: { bodyBytes: 500 } }, stage);
    const ada = { authorization: 'Bearer ada' };
    await status(listed(reached));
    await status(listed(reached, { ...ada, origin: 'https://evil.example.com' }));
    await status(listed(reached, { ...ada, accept: 'text/html' }));
    await status(listed(reached, { ...ada, 'content-type': 'text/plain' }));
    await status(post(reached, stateless(1, 'tools/list', { cursor: 'x'.repeat(600) }), ada));
    await status(post(reached, call(1, 'echo'), { ...ada, 'mcp-session-id': 'none' }));
    const list = stateless(1, 'prompts/list');
    await status(post(reached, list, { ...ada, ...statelessHeaders(list) }));
    await status(reached.send({ method: 'PUT', headers: ada }));
    await reached.close();
    const shown = entries.map(({ status: got, rpcMethod, who }) => [got, rpcMethod, who]);
    expect(shown).toEqual([
      [401, undefined, undefined],
      [403, undefined, undefined],
      [406, undefined, 'ada'],
      [415, undefined, 'ada'],
      [413, undefined, 'ada'],
      [404, 'tools/call', 'ada'],
      [429, 'prompts/list', 'ada'],
      [405, undefined, 'ada'],
    ]);
  });

  test('503 of the limits and 500 of a broken authenticator are logged', async () => {
    const { entries, reached, stage, status } = await opened({ limits: { running: 1 } });
    const session = await openSession(reached);
    const running = reached.ask({
      headers: { ...POST, ...session },
      body: JSON.stringify(call(1, 'wait', { name: 'a' })),
    });
    const begun = await stage.begun();
    expect(await status(post(reached, call(2, 'echo'), session))).toBe(503);
    begun.end('done');
    await (await running.answer).text();
    const statuses = entries.map(({ status: got, rpcMethod }) => [got, rpcMethod]);
    expect(statuses).toEqual([
      [200, 'initialize'],
      [202, 'notifications/initialized'],
      [503, 'tools/call'],
      [200, 'tools/call'],
    ]);
    await reached.close();
    const broken = await opened({ auth: () => ({ status: 401, headers: { 'bad name': 'x' } }) });
    expect(await status(listed(broken.reached))).toBe(500);
    expect(broken.entries.map(({ status: got }) => got)).toEqual([500]);
    await broken.reached.close();
  });

  test('a stream is logged when it opens, once', async () => {
    const { entries, reached, stage } = await opened();
    const session = await openSession(reached);
    entries.length = 0;
    const standing = await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } });
    expect(entries).toEqual([{ method: 'GET', path: '/mcp', status: 200, rpcMethod: undefined, isStream: true }]);
    const asked = reached.ask({
      headers: { ...POST, ...session },
      body: JSON.stringify(call(1, 'wait', { name: 'a' })),
    });
    const begun = await stage.begun();
    begun.ctx.log.info('first');
    const answer = await asked.answer;
    expect(entries[1]).toEqual({ method: 'POST', path: '/mcp', status: 200, rpcMethod: 'tools/call', isStream: true });
    begun.end('done');
    await answer.text();
    standing.hangUp();
    await reached.close();
    expect(entries).toHaveLength(2);
  });

  test('methods of strangers are escaped and cut, and the request is there with its header fields', async () => {
    const infos: HttpResponseInfo[] = [];
    const { reached, status } = await opened({ onResponse: (info) => void infos.push(info) });
    const odd = stateless(1, `x\u001b[2J\n${'y'.repeat(500)}`);
    await status(post(reached, odd, { ...statelessHeaders(odd), 'mcp-method': 'x', 'user-agent': 'spy' }));
    await status(post(reached, { ...initialize(), jsonrpc: 1 }));
    const [{ rpcMethod, request } = { rpcMethod: '', request: undefined }, unreadable] = infos;
    expect(rpcMethod).toMatch(/^x\\u\{1b\}\[2J\\u\{a\}y+\.\.\.$/);
    expect(rpcMethod?.length).toBeLessThan(120);
    expect([request?.header('user-agent'), typeof request?.raw]).toEqual(['spy', 'object']);
    expect(unreadable).toMatchObject({ status: 400, rpcMethod: undefined });
    await reached.close();
  });

  test('what the listener throws or rejects with is reported, and changes no answer', async () => {
    const onResponse = vi.fn((): void => {
      throw new Error('disk full');
    });
    const { reached, stage, status } = await opened({ onResponse });
    expect(await status(listed(reached))).toBe(200);
    expect(await status(post(reached, notification('notifications/x'), { 'mcp-protocol-version': '2026-07-28' }))).toBe(
      202,
    );
    expect(stage.errors.map(String)).toEqual(['Error: disk full', 'Error: disk full']);
    await reached.close();
  });

  test('it must be a function', async () => {
    await expect(open(makeStage().server, { onResponse: 'morgan' as never })).rejects.toThrow(
      'onResponse must be a function',
    );
  });
});

test('serveHttp logs other paths, its page and the metadata of a protected resource', async () => {
  const { entries, onResponse } = log();
  const auth = Object.assign(() => ({ status: 401 }) as const, {
    protectedResource: {
      metadataUrl: 'http://127.0.0.1/.well-known/oauth-protected-resource/mcp',
      metadata: {},
      insufficientScope: () => ({ status: 403 }) as const,
    },
  });
  const serving = await serveHttp(makeStage().server, { port: 0, auth, onResponse });
  const get = async (path: string, accept = 'text/html'): Promise<void> => {
    await (await fetch(new URL(path, serving.url), { headers: { accept } })).text();
  };
  await get('/other');
  await get('/mcp');
  await get('/.well-known/oauth-protected-resource/mcp?x');
  await serving.close();
  expect(entries.map(({ path, status }) => [path, status])).toEqual([
    ['/other', 404],
    ['/mcp', 200],
    ['/.well-known/oauth-protected-resource/mcp', 200],
  ]);
});
