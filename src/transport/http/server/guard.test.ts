import { expect, test } from 'vitest';
import { guardOf, isLoopback } from './guard.ts';

const from = (host: string): { method: string; target: string; header(name: string): string | undefined } => ({
  method: 'POST',
  target: '/mcp',
  header: (name) => (name === 'host' ? host : undefined),
});

const NO_HOSTS = [
  'localhost:99999',
  'localhost:65536',
  'localhost:',
  'localhost:x',
  'local host',
  'localhost/evil',
  'user@localhost',
  '127.999.999.999',
  '127.0.0.256',
  '',
];

test.each(['localhost', 'localhost:3000', 'LOCALHOST:65535', '127.0.0.1', '127.255.255.255:80', '[::1]:80'])(
  'Host %s is this machine',
  (host) => {
    expect(guardOf({}).refuse(from(host))).toBeUndefined();
  },
);

test.each(NO_HOSTS)('Host "%s" is refused, as it is no host', (host) => {
  expect(guardOf({}).refuse(from(host))).toContain('Host header');
  expect(guardOf({ hosts: 'any' }).refuse(from(host))).toContain('Host header');
});

test('an address of this machine is a valid one', () => {
  expect(['127.0.0.1', '::1', 'localhost', '127.0.0.300', '0.0.0.0'].map(isLoopback)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('an entry of "hosts" that is no host is a TypeError', () => {
  expect(() => guardOf({ hosts: ['mcp.example.com:99999'] })).toThrow('is no host name');
});

const page = (origin: string): { method: string; target: string; header(name: string): string | undefined } => ({
  method: 'POST',
  target: '/mcp',
  header: (name) => (name === 'host' ? 'localhost:3000' : name === 'origin' ? origin : undefined),
});

test.each<[string | undefined, boolean]>([
  ['127.0.0.1', true],
  ['127.0.0.2', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['192.168.1.5', false],
  ['::ffff:192.168.1.5', false],
  ['fe80::1', false],
  ['127.0.0.1.evil', false],
  ['', false],
  [undefined, false],
])('a page of this machine may call from the address %s: %s', (address, mayCall) => {
  expect(guardOf({}).refuse(page('http://localhost:5173'), address) === undefined).toBe(mayCall);
  expect(guardOf({}).refuse(page('http://evil.example'), address)).toContain('Origin header');
});

test.each([
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'http://localhost:99999',
  'null',
  'file://',
])('%s is no page of this machine', (origin) => {
  expect(guardOf({}).refuse(page(origin), '127.0.0.1')).toContain('Origin header');
});
