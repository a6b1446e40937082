/** Where the requests of a flow may go, and what its account says of them. */

import { describe, expect, test, vi } from 'vitest';
import type { OAuthResponse, Send } from './exchange.ts';
import { Wire, type WireOptions } from './wire.ts';

const { signal } = new AbortController();
const answer = (status: number): OAuthResponse => ({ status, header: () => undefined, body: '' });

function wireWith(options: Partial<WireOptions> = {}, status = 200) {
  const send = vi.fn<Send>(async () => answer(status));
  const server = new URL('https://mcp.example.com/mcp');
  return { send, wire: new Wire({ send, signal, server, reach: 'public', ...options }) };
}

const get = (wire: Wire, url: string, value: unknown = 'x'): Promise<unknown> =>
  wire.get('metadata', new URL(url), () => value);

const PRIVATE = ['https://10.0.0.1:8443/x', 'https://login.internal/x', 'http://localhost:4000/x'];

test.each(PRIVATE)('%s may be asked if its origin was configured, and only then', async (url) => {
  const { origin } = new URL(url);
  const { wire, send } = wireWith({ trusted: [undefined, 'discovered', `${origin}/tenant`] });
  expect(await get(wire, url)).toBe('x');
  expect(send.mock.calls[0]?.[1]).toEqual({ signal, reach: 'loopback' });
  for (const trusted of [undefined, [], [undefined], ['discovered'], ['https://10.0.0.2'], [`${origin}1`]]) {
    const other = wireWith({ trusted });
    await expect(get(other.wire, url)).rejects.toMatchObject({ code: 'forbidden_address' });
    expect(other.send).not.toHaveBeenCalled();
  }
});

test('a name is looked up with leave to be private only if it was configured', async () => {
  const { wire, send } = wireWith({ trusted: ['https://login.corp.example'] });
  await get(wire, 'https://login.corp.example/token');
  await get(wire, 'https://other.corp.example/token');
  expect(send.mock.calls.map(([, { reach }]) => reach)).toEqual(['loopback', 'public']);
});

test('what was configured needs https as well, outside of private networks', async () => {
  const { wire, send } = wireWith({ trusted: ['http://login.example.com'] });
  await expect(get(wire, 'http://login.example.com/x')).rejects.toThrow('it must use https');
  expect(send).not.toHaveBeenCalled();
});

test('trusting() trusts what it is told and nothing else, in the same account', async () => {
  const { wire } = wireWith({ trusted: ['https://10.0.0.1'] });
  await get(wire.trusting('https://10.0.0.2'), 'https://10.0.0.2/x');
  await expect(get(wire.trusting('https://10.0.0.2'), 'https://10.0.0.1/x')).rejects.toThrow('private network');
  await expect(get(wire.trusting(), 'https://10.0.0.1/x')).rejects.toThrow('private network');
  await get(wire, 'https://10.0.0.1/x');
  expect(wire.failure('x', 'x').trace.map(({ url }) => url)).toEqual([
    'https://10.0.0.2/x',
    'https://10.0.0.1/x',
    'https://10.0.0.1/x',
    'https://10.0.0.1/x',
  ]);
});

test('the account tells what was found, what was not there, and what is asked again', async () => {
  const outcomeOf = async (method: 'GET' | 'POST', status: number, value: unknown): Promise<unknown> => {
    const { wire } = wireWith({}, status);
    const url = new URL('https://as.example/x');
    if (method === 'GET') await wire.get('x', url, () => value);
    else await wire.post('x', { method, url, headers: {} }, () => value);
    return wire.failure('x', 'x').trace[0]?.outcome;
  };
  expect(await outcomeOf('GET', 200, {})).toBe('found');
  expect(await outcomeOf('GET', 404, undefined)).toBe('not there');
  expect(await outcomeOf('GET', 200, undefined)).toBe('not there');
  expect(await outcomeOf('POST', 200, {})).toBe('found');
  expect(await outcomeOf('POST', 400, 'pending')).toBe('asked again');
  expect(await outcomeOf('POST', 400, undefined)).toBe('asked again');
});

test('a URL is told without its query, and not at any length', async () => {
  const { wire } = wireWith();
  await get(wire, `https://as.example/${'x'.repeat(5000)}?code=hush-hush`);
  const { message } = wire.failure('x', 'x');
  expect(message.length).toBeLessThan(500);
  expect(message).not.toContain('hush-hush');
});

test('the account keeps the first 25 and the last 25 steps', async () => {
  const { wire } = wireWith();
  for (let number = 1; number <= 200; number++) await get(wire, `https://as.example/${number}`);
  const { trace, message } = wire.failure('x', 'x');
  const numbers = trace.map(({ url = '' }) => Number(url.split('/').at(-1)));
  expect(numbers).toEqual(
    [...Array(25).keys()].flatMap((index) => index + 1).concat([...Array(25).keys()].map((index) => index + 176)),
  );
  expect(message.split('\n')).toHaveLength(52);
});

describe('a server that is named', () => {
  const sentTo = async (server: string, reach: WireOptions['reach'], url: string): Promise<unknown> => {
    const { wire, send } = wireWith({ server: new URL(server), reach });
    await get(wire, url).catch(() => {});
    return send.mock.calls[0]?.[1].reach;
  };

  test.each([
    // A server in a private network leads to private networks, and not to this machine.
    ['http://10.0.0.5/mcp', 'private', 'http://10.0.0.6/', 'private'],
    ['http://10.0.0.5/mcp', 'private', 'http://auth.internal/', 'private'],
    ['http://10.0.0.5/mcp', 'private', 'http://127.0.0.1:9200/', undefined],
    ['http://10.0.0.5/mcp', 'private', 'http://localhost:9200/', undefined],
    ['http://10.0.0.5/mcp', 'private', 'https://[::1]/', undefined],
    ['http://10.0.0.5/mcp', 'private', 'http://100.100.100.200/', undefined],
    ['http://10.0.0.5/mcp', 'private', 'http://[fd00:ec2::254]/', undefined],
    ['http://10.0.0.5/mcp', 'private', 'http://192.0.0.192/', undefined],
    // A server on this machine leads to this machine.
    ['http://localhost:3000/mcp', 'loopback', 'http://127.0.0.1:4000/', 'loopback'],
    ['http://localhost:3000/mcp', 'loopback', 'http://keycloak:8080/', 'loopback'],
    ['http://localhost:3000/mcp', 'loopback', 'http://100.100.100.200/', undefined],
    // Its own origin is asked wherever it is; a name that is resolved to this machine leads there by https alone.
    ['http://mymachine:3000/mcp', 'private', 'http://mymachine:3000/x', 'loopback'],
    ['http://evil.local/mcp', 'loopback', 'http://evil.local:9200/', 'private'],
    ['https://dev.example.com/mcp', 'loopback', 'https://auth.example.com/', 'loopback'],
    ['https://dev.example.com/mcp', 'loopback', 'https://127.0.0.1/', undefined],
    ['https://mcp.example.com/mcp', 'public', 'https://mcp.example.com/x', 'public'],
  ] as const)('%s (%s) leads to %s: %s', async (server, reach, url, expected) => {
    expect(await sentTo(server, reach, url)).toBe(expected);
  });
});
