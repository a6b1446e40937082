/** What lets requests in: asked for with every request, and told when it was not enough. */

import type { Receiver } from 'mcpp';
import { AuthError } from 'mcpp/auth/client';
import { afterEach, expect, test, vi } from 'vitest';
import type { Authorizer, AuthRequest } from '../../src/client/http-options.ts';
import { httpTransport } from '../../src/transport/http/client/transport.ts';
import { type Answers, closeAll, eventually, rawServer, stateful } from './raw-server.ts';

afterEach(closeAll);

const request = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

/** Sends one request, and gives why it failed or what was answered. */
async function ask(url: string, authorize: Authorizer): Promise<unknown> {
  const transport = await httpTransport(new URL(url), { authorize });
  const outcome = await new Promise((resolve) => {
    const receiver: Receiver = { onMessage: resolve, onError: resolve, onClose: () => {} };
    void transport.connect(receiver).then(() => transport.send(request, { onEnd: resolve }));
  });
  await transport.disconnect();
  return outcome;
}

const guarded = (token: string): Answers => ({
  ping: (visit) =>
    visit.headers.authorization === token
      ? visit.result({})
      : visit.status(401, { 'www-authenticate': 'Bearer resource_metadata="/here"' }),
});

test('a request that is not let in is sent again with what the authorizer has by then', async () => {
  const server = await rawServer(guarded('Bearer new'));
  const tokens = ['Bearer old', 'Bearer new'];
  const challenged = vi.fn(async () => true);
  const authorize: Authorizer = { headers: () => ({ Authorization: tokens.shift() ?? '' }), onChallenge: challenged };
  expect(await ask(server.url, authorize)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(challenged).toHaveBeenCalledTimes(1);
  const [challenge] = challenged.mock.calls[0] as unknown as Parameters<Authorizer['onChallenge']>;
  const sent = { Authorization: 'Bearer old' };
  expect(challenge).toMatchObject({ status: 401, method: 'POST', url: new URL(server.url), sent, tries: 0 });
  expect(challenge.header('www-authenticate')).toBe('Bearer resource_metadata="/here"');
  expect(server.visits).toHaveLength(2);
});

test('if it is not worth it, or has been five times, the status is the error', async () => {
  const server = await rawServer(guarded('never'));
  const never: Authorizer = { headers: () => ({}), onChallenge: () => false };
  expect(await ask(server.url, never)).toMatchObject({ code: 'http-error', status: 401 });
  expect(server.visits).toHaveLength(1);
  const always: Authorizer = { headers: async () => ({}), onChallenge: () => true };
  expect(await ask(server.url, always)).toMatchObject({ code: 'http-error', status: 401 });
  expect(server.visits).toHaveLength(7);
});

test('what the authorizer itself fails with is the error', async () => {
  const server = await rawServer(guarded('never'));
  const failing: Authorizer = { headers: () => ({}), onChallenge: () => Promise.reject(new Error('window closed')) };
  expect(await ask(server.url, failing)).toMatchObject({
    code: 'failed',
    message: expect.stringContaining('window closed'),
  });
});

test('what the authorizer gives wins over what everybody else does, and is told what became of it', async () => {
  const server = await rawServer({ ping: (visit) => visit.json(visit.answer({}), 200, { 'dpop-nonce': 'n1' }) });
  const sent = { Authorization: 'Bearer mine' };
  const answered = vi.fn<NonNullable<Authorizer['answered']>>();
  const authorize: Authorizer = { headers: () => sent, onChallenge: () => false, answered };
  const transport = await httpTransport(new URL(server.url), { authorize, headers: { authorization: 'Basic theirs' } });
  const outcome = new Promise((resolve) => {
    const receiver: Receiver = { onMessage: resolve, onError: resolve, onClose: () => {} };
    void transport.connect(receiver).then(() => transport.send(request, { onEnd: resolve }));
  });
  expect(await outcome).toMatchObject({ result: {} });
  await transport.disconnect();
  expect(server.visits[0]?.headers.authorization).toBe('Bearer mine');
  expect(answered).toHaveBeenCalledTimes(1);
  const [facts] = answered.mock.calls[0] ?? [];
  expect(facts).toMatchObject({ status: 200, method: 'POST', url: new URL(server.url) });
  // The very object, so that whoever gave it knows it again.
  expect(facts?.sent).toBe(sent);
  expect(facts?.header('dpop-nonce')).toBe('n1');
});

test('it is asked for every try, and counts how often the very same request was refused', async () => {
  const server = await rawServer({ ping: (visit) => visit.status(server.visits.length === 2 ? 403 : 401) });
  const seen: unknown[] = [];
  const authorize: Authorizer = {
    headers: ({ method, url }) => ({ try: `${method} ${url.pathname} ${seen.length}` }),
    onChallenge({ status, tries, sent }) {
      seen.push([status, tries, sent['try']]);
      return tries < 2;
    },
  };
  expect(await ask(server.url, authorize)).toMatchObject({ code: 'http-error', status: 401 });
  expect(seen).toEqual([
    [401, 0, 'POST /mcp 0'],
    [403, 1, 'POST /mcp 1'],
    [401, 2, 'POST /mcp 2'],
  ]);
});

test('an error of its own kind is passed on as it is, from either of its functions', async () => {
  const server = await rawServer(guarded('never'));
  const error = new AuthError('invalid_token', 'No');
  const failing = (): never => {
    throw error;
  };
  expect(await ask(server.url, { headers: failing, onChallenge: () => true })).toBe(error);
  expect(server.visits).toEqual([]);
  expect(await ask(server.url, { headers: () => ({}), onChallenge: failing })).toBe(error);
  expect(await ask(server.url, { headers: async () => failing(), onChallenge: () => true })).toBe(error);
});

test('a request that is given up while it waits to be let in is not sent again', async () => {
  const server = await rawServer(guarded('never'));
  const letIn: ((isWorthIt: boolean) => void)[] = [];
  const challenged = (): Promise<boolean> => new Promise((resolve) => void letIn.push(resolve));
  const transport = await httpTransport(new URL(server.url), {
    authorize: { headers: () => ({}), onChallenge: challenged },
  });
  await transport.connect({ onMessage: () => {}, onError: () => {}, onClose: () => {} });
  const given = new AbortController();
  void transport.send(request, { signal: given.signal });
  await eventually(() => letIn.length > 0);
  given.abort();
  letIn[0]?.(true);
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  await transport.disconnect();
  expect(server.visits).toHaveLength(1);
});

test('whoever waits to be let in knows when the request is given up, and whether it belongs to a call', async () => {
  const server = await rawServer(guarded('never'));
  const seen: AuthRequest[] = [];
  const authorize: Authorizer = {
    headers: (facts) => {
      seen.push(facts);
      return {};
    },
    onChallenge: (challenge) => {
      seen.push(challenge);
      return new Promise(() => {});
    },
  };
  const transport = await httpTransport(new URL(server.url), { authorize });
  await transport.connect({ onMessage: () => {}, onError: () => {}, onClose: () => {} });
  const given = new AbortController();
  void transport.send(request, { signal: given.signal });
  await eventually(() => seen.length === 2);
  expect(seen.map(({ isBackground, signal }) => [isBackground, signal?.aborted])).toEqual([
    [false, false],
    [false, false],
  ]);
  given.abort();
  expect(seen.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
  await transport.disconnect();
});

test('streams, and the end of a session, belong to no call', async () => {
  const server = await rawServer({
    ...stateful(),
    GET: (visit) => visit.event({ data: '' }),
    DELETE: (visit) => visit.status(200),
  });
  const seen: string[] = [];
  const authorize: Authorizer = {
    headers: ({ method, isBackground }) => {
      seen.push(`${method} ${isBackground}`);
      return {};
    },
    onChallenge: () => false,
  };
  const transport = await httpTransport(new URL(server.url), { authorize });
  const answered = new Promise((resolve) => {
    void transport.connect({ onMessage: resolve, onError: resolve, onClose: () => {} });
  });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  void transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  await answered;
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await eventually(() => server.to('GET').length === 1);
  await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await transport.disconnect();
  expect(seen).toEqual(['POST false', 'POST false', 'GET true', 'POST true', 'DELETE true']);
});
