import { describe, expect, test } from 'vitest';
import {
  isLoopbackHost,
  isPrivateAddress,
  isPrivateHost,
  pageFault,
  redirectUriFault,
  targetFault,
} from './targets.ts';

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:4860:4860::8888',
  '2606:4700:4700:0:0:0:0:1111',
  '2606:4700:4700:0000:0000:0000:0000:1111',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
  '2001:0:808:808:0:0:f7f7:f7f7',
];

const PRIVATE = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.170',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '[::1]',
  'fc00::1',
  'fd12:3456:789a::1',
  'FD00::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:10.1.2.3',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '2001:0:a00:1::1',
  '2001:0:808:808:0:0:80ff:fffe',
  '100::1',
];

// Nothing is an address of the internet because nobody could read it.
const UNREADABLE = [
  '',
  'example.com',
  '256.1.1.1',
  '1.2.3',
  '010.0.0.1',
  '1.2.3.4.5',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '::g',
  ':::',
  '12345::',
];

describe('addresses', () => {
  test.each(PUBLIC)('%s is of the internet', (address) => expect(isPrivateAddress(address)).toBe(false));
  test.each(PRIVATE)('%s is not', (address) => expect(isPrivateAddress(address)).toBe(true));
  test.each(UNREADABLE)('"%s" cannot be read, so it is not either', (text) =>
    expect(isPrivateAddress(text)).toBe(true),
  );
});

test('hosts are known in every spelling that a URL allows', () => {
  const spellings = [
    ['http://127.1/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://①②⑦.0.0.1/', '127.0.0.1'],
    ['http://0xa9.0xfe.0xa9.0xfe/', '169.254.169.254'],
    ['http://0/', '0.0.0.0'],
    ['http://[::ffff:127.0.0.1]/', '[::ffff:7f00:1]'],
    ['http://[0:0:0:0:0:0:0:1]/', '[::1]'],
    ['http://[::FFFF:a9fe:a9fe]/', '[::ffff:a9fe:a9fe]'],
    ['http://LOCALHOST/', 'localhost'],
    ['http://localhost./', 'localhost.'],
  ] as const;
  for (const [url, hostname] of spellings) {
    expect(new URL(url).hostname).toBe(hostname);
    expect(isPrivateHost(hostname)).toBe(true);
  }
});

test('names that mean nothing outside of a network are private; others are looked up first', () => {
  for (const name of [
    'localhost',
    'a.localhost',
    'printer.local',
    'metadata.google.internal',
    'router.lan',
    'x.home.arpa',
    'intranet',
  ]) {
    expect(isPrivateHost(name)).toBe(true);
  }
  for (const name of [
    'example.com',
    'localhost.example.com',
    'local.example',
    'notlocal.com',
    'internal.example.org',
  ]) {
    expect(isPrivateHost(name)).toBe(false);
  }
});

test('loopback is this machine and nothing else', () => {
  for (const host of ['localhost', 'app.localhost', 'localhost.', '127.0.0.1', '127.8.9.1', '[::1]', '::1']) {
    expect(isLoopbackHost(host)).toBe(true);
  }
  for (const host of [
    'localhost.example.com',
    '10.0.0.1',
    '0.0.0.0',
    '[::]',
    '[::ffff:a00:1]',
    '127.0.0.1.example',
    'example.com',
  ]) {
    expect(isLoopbackHost(host)).toBe(false);
  }
});

test('requests go to https; to private networks only if the MCP server is in one, and then also without', () => {
  const rows = [
    ['https://as.example/token', undefined, undefined],
    ['http://as.example/token', 'it must use https', 'it must use https'],
    ['http://localhost:9000/', 'it is in a private network, and the MCP server is not', undefined],
    ['https://10.1.2.3/token', 'it is in a private network, and the MCP server is not', undefined],
    ['http://169.254.169.254/latest', 'it is in a private network, and the MCP server is not', undefined],
    ['http://keycloak:8080/', 'it is in a private network, and the MCP server is not', undefined],
    [
      'https://user:pw@as.example/',
      'it must not have a user name or password',
      'it must not have a user name or password',
    ],
    ['file:///etc/passwd', 'it must use https', 'it must use https'],
    ['ftp://as.example/', 'it must use https', 'it must use https'],
  ] as const;
  for (const [url, fault, faultInside] of rows) {
    expect(targetFault(new URL(url), { allowPrivate: false })).toBe(fault);
    expect(targetFault(new URL(url), { allowPrivate: true })).toBe(faultInside);
  }
});

test('browsers are sent to https, or to http on this machine, and never to a script, a file or a program', () => {
  for (const url of [
    'https://as.example/authorize',
    'http://localhost:9000/authorize',
    'http://127.0.0.1/',
    'http://[::1]:3/',
  ]) {
    expect(pageFault(new URL(url))).toBeUndefined();
  }
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'ms-settings:x',
    'http://as.example/authorize',
    'http://10.0.0.1/authorize',
    'http://localhost.evil.example/',
    'https://a@as.example/',
  ]) {
    expect(pageFault(new URL(url))).toMatch(/^it must/);
  }
});

test('answers are sent to https or to this machine', () => {
  expect(redirectUriFault('http://127.0.0.1:33418/callback')).toBeUndefined();
  expect(redirectUriFault('https://app.example/callback?x=1')).toBeUndefined();
  expect(redirectUriFault('http://app.example/callback')).toBe('it must use https, or http on localhost');
  expect(redirectUriFault('https://app.example/callback#')).toBe('it must not have a fragment');
  expect(redirectUriFault('myapp://callback')).toBe('it must use https');
  expect(redirectUriFault('/callback')).toBe('it is not an absolute URL');
});
