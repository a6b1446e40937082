/** What lets requests in: asked for with every request, and told when it was not enough. */

import type { Receiver } from 'mcpp';
import { afterEach, expect, test, vi } from 'vitest';
import type { Authorizer } from '../../src/client/http-options.ts';
import { httpTransport } from '../../src/transport/http/client/transport.ts';
import { type Answers, closeAll, rawServer } from './raw-server.ts';

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
  const authorize: Authorizer = { headers: () => ({ Authorization: tokens.shift() ?? '' }), challenged };
  expect(await ask(server.url, authorize)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(challenged).toHaveBeenCalledTimes(1);
  const [challenge] = challenged.mock.calls[0] as unknown as Parameters<Authorizer['challenged']>;
  const sent = { Authorization: 'Bearer old' };
  expect(challenge).toMatchObject({ status: 401, method: 'POST', url: new URL(server.url), sent, tries: 0 });
  expect(challenge.header('www-authenticate')).toBe('Bearer resource_metadata="/here"');
  expect(server.visits).toHaveLength(2);
});

test('if it is not worth it, or has been five times, the status is the error', async () => {
  const server = await rawServer(guarded('never'));
  const never: Authorizer = { headers: () => ({}), challenged: () => false };
  expect(await ask(server.url, never)).toMatchObject({ code: 'http-error', status: 401 });
  expect(server.visits).toHaveLength(1);
  const always: Authorizer = { headers: async () => ({}), challenged: () => true };
  expect(await ask(server.url, always)).toMatchObject({ code: 'http-error', status: 401 });
  expect(server.visits).toHaveLength(7);
});

test('what the authorizer itself fails with is the error', async () => {
  const server = await rawServer(guarded('never'));
  const failing: Authorizer = { headers: () => ({}), challenged: () => Promise.reject(new Error('window closed')) };
  expect(await ask(server.url, failing)).toMatchObject({
    code: 'failed',
    message: expect.stringContaining('window closed'),
  });
});
