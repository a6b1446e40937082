/** Options of a server at a URL: what cannot be meant is refused before anything is sent. */

import { type ConnectOptions, connect } from 'mcpp/client';
import { afterEach, describe, expect, test } from 'vitest';
import { closeAll, rawServer, stateless } from './raw-server.ts';

afterEach(closeAll);

describe('refused before anything is sent:', () => {
  test.each<[string, unknown]>([
    ['maxResponseBytes', Number.NaN],
    ['maxResponseBytes', 0],
    ['maxResponseBytes', '1000'],
    ['maxResponseBytes', -1],
    ['reconnect', 5],
    ['reconnect.maxDelayMs', Number.NaN],
    ['reconnect.maxTries', 0],
    ['fetch', 'fetch'],
    ['headers', [['authorization', 'secret']]],
    ['headers', { authorization: undefined }],
    ['headers', 'authorization: secret'],
    ['headers', new Map([['authorization', 'secret']])],
  ])('%s: %o', async (name, value) => {
    const server = await rawServer(stateless);
    const [first = '', second] = name.split('.');
    const options = { [first]: second === undefined ? value : { [second]: value } } as ConnectOptions;
    const error: Error = await connect(server.url, options).then(
      () => new Error('It was accepted'),
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(new RegExp(`^The option "${name}" must be `));
    expect(error.message).not.toContain('secret');
    expect(server.visits).toEqual([]);
  });
});

test('undefined is the default, and Headers are taken as they are', async () => {
  const server = await rawServer(stateless);
  const options: ConnectOptions = {
    headers: new Headers({ 'X-Own': '1' }),
    fetch: undefined,
    maxResponseBytes: undefined,
    reconnect: { maxDelayMs: undefined, maxTries: undefined },
  };
  const mcp = await connect(server.url, options);
  expect(server.visits[0]?.headers).toMatchObject({ 'x-own': '1' });
  await mcp.close();
  await (await connect(server.url, { headers: undefined, reconnect: undefined })).close();
});

test('the URL of a WebSocket is not for connect, which says what is', async () => {
  await expect(connect('ws://127.0.0.1/mcp')).rejects.toThrow(
    'connect cannot use a ws: URL: connect(webSocketTransport(url)) can, with webSocketTransport from mcpp/websocket',
  );
});
