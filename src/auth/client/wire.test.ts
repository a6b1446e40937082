/** Where the requests of a flow may go, and what its account says of them. */

import { expect, test, vi } from 'vitest';
import type { OAuthResponse, Send } from './exchange.ts';
import { Wire, type WireOptions } from './wire.ts';

const { signal } = new AbortController();
const answer = (status: number): OAuthResponse => ({ status, header: () => undefined, body: '' });

function wireWith(options: Partial<WireOptions> = {}, status = 200) {
  const send = vi.fn<Send>(async () => answer(status));
  const server = new URL('https://mcp.example.com/mcp');
  return { send, wire: new Wire({ send, signal, server, allowPrivate: false, ...options }) };
}

const get = (wire: Wire, url: string, value: unknown = 'x'): Promise<unknown> =>
  wire.get('metadata', new URL(url), () => value);

const PRIVATE = ['https://10.0.0.1:8443/x', 'https://login.internal/x', 'http://localhost:4000/x'];

test.each(PRIVATE)('%s may be asked if its origin was configured, and only then', async (url) => {
  const { origin } = new URL(url);
  const { wire, send } = wireWith({ trusted: [undefined, 'discovered', `${origin}/tenant`] });
  expect(await get(wire, url)).toBe('x');
  expect(send.mock.calls[0]?.[1]).toEqual({ signal, allowPrivate: true });
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
  expect(send.mock.calls.map(([, { allowPrivate }]) => allowPrivate)).toEqual([true, false]);
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
