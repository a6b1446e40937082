import { expect, test } from 'vitest';
import { isLoopbackHost, isPrivateHost, pageFault, redirectUriFault, targetFault } from './targets.ts';

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

test('requests go to https, and only as far as the MCP server is; there they may go over http', () => {
  const PRIVATE = 'it is in a private network, and the MCP server is not';
  const LOOPBACK = 'it is on this machine, and the MCP server is not';
  const NEVER = 'it is a link-local, unspecified or cloud metadata address, which is never asked';
  const always = (fault: string | undefined) => [fault, fault, fault, fault];
  const rows = [
    ['https://as.example/token', always(undefined)],
    ['http://as.example/token', always('it must use https')],
    ['http://localhost:9000/', [undefined, LOOPBACK, LOOPBACK, undefined]],
    ['https://[::1]/', [undefined, LOOPBACK, LOOPBACK, undefined]],
    ['https://10.1.2.3/token', [undefined, PRIVATE, undefined, undefined]],
    ['http://keycloak:8080/', [undefined, PRIVATE, undefined, undefined]],
    ['http://169.254.169.254/latest', [undefined, NEVER, NEVER, NEVER]],
    ['http://100.100.100.200/latest', [undefined, NEVER, NEVER, NEVER]],
    ['https://user:pw@as.example/', always('it must not have a user name or password')],
    ['file:///etc/passwd', always('it must use https')],
    ['ftp://as.example/', always('it must use https')],
  ] as const;
  for (const [url, faults] of rows) {
    const reaches = [undefined, 'public', 'private', 'loopback'] as const;
    expect(reaches.map((reach) => targetFault(new URL(url), reach))).toEqual(faults);
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
