import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { AuthError } from '../errors.ts';
import { Body, checkTarget, isForbidden, MAX_BODY_BYTES, tooLarge, unreachable } from './send-rules.ts';

/** What comes of a URL, if the MCP server is on the internet, in a private network, and on this machine. */
function outcomes(url: string): readonly string[] {
  return (['public', 'private', 'loopback'] as const).map((reach) => {
    try {
      checkTarget(new URL(url), { reach });
      return 'sent';
    } catch (error) {
      return error instanceof AuthError ? error.code : String(error);
    }
  });
}

test.each(['https://as.example/token', 'https://93.184.215.14/', 'http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/'])(
  'to the internet (%s) everybody may send',
  (url) => expect(outcomes(url)).toEqual(['sent', 'sent', 'sent']),
);

test.each([
  'http://127.0.0.1:8080/',
  'http://localhost/',
  'http://app.localhost/',
  'http://0x7f000001/',
  'http://2130706433/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[2002:7f00:1::]/',
])('to this machine (%s) only a server on it may send', (url) =>
  expect(outcomes(url)).toEqual(['forbidden_address', 'forbidden_address', 'sent']),
);

test.each([
  'http://[::ffff:10.0.0.1]/',
  'https://10.1.2.3/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://[fd00::1]/',
  'https://intranet/',
])('to a private network (%s) only who is in one may be sent', (url) =>
  expect(outcomes(url)).toEqual(['forbidden_address', 'sent', 'sent']),
);

test.each([
  'http://169.254.169.254/latest/meta-data',
  'http://0xa9fea9fe/',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://0.0.0.0/',
  'http://0.1.2.3/',
  'http://[::]/',
  'http://[::ffff:0.0.0.0]/',
  'http://100.100.100.200/latest/meta-data',
  'http://192.0.0.192/opc/v2/instance',
  'https://168.63.129.16/',
  'http://[fd00:ec2::254]/latest/meta-data',
  'http://[fd00:ec2::23]/v1/credentials',
  'http://[fd20:ce::254]/',
  'http://[::ffff:100.100.100.200]/',
  'http://[64:ff9b::100.100.100.200]/',
  'http://[2002:6464:64c8::1]/',
  'http://[::192.0.0.192]/',
  'http://[64:ff9b:1::1]/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://metadata/',
  'http://[ff02::1]/',
  'http://255.255.255.255/',
  'ftp://as.example/',
  'file:///etc/passwd',
  'javascript:alert(1)',
])('nobody is sent to %s', (url) =>
  expect(outcomes(url)).toEqual(['forbidden_address', 'forbidden_address', 'forbidden_address']),
);

test('addresses as the operating system writes them are understood, and what is none is refused', () => {
  expect(isForbidden('fe80::1%eth0', 'loopback')).toBe(true);
  expect(isForbidden('0:0:0:0:0:ffff:a9fe:a9fe', 'loopback')).toBe(true);
  expect(isForbidden('::1', 'loopback')).toBe(false);
  expect(isForbidden('::1', 'private')).toBe(true);
  expect(isForbidden('nonsense:', 'loopback')).toBe(true);
});

test.each([
  ['ECONNREFUSED', 'nothing listens there: is it running, and is it this port? (ECONNREFUSED)'],
  ['ENOTFOUND', 'there is no host of this name, or names cannot be looked up (ENOTFOUND)'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'],
  ['CERT_HAS_EXPIRED', 'its certificate is not trusted (CERT_HAS_EXPIRED)'],
  ['EPROTO', 'it does not speak TLS: is it an http: URL? (EPROTO)'],
  ['ECONNRESET', 'it hung up before its answer was complete (ECONNRESET)'],
  ['HPE_INVALID_CONSTANT', 'it answered with something that is not HTTP (HPE_INVALID_CONSTANT)'],
  ['SOMETHING_ELSE', 'the connection failed (SOMETHING_ELSE)'],
  [undefined, 'the connection failed'],
])('a failure with code %s says what usually is the matter', (code, why) => {
  const url = new URL('https://user:password@as.example/token?code=secret#secret');
  const causes = [
    Object.assign(new Error('secret'), { code }),
    new TypeError('fetch failed', { cause: { code, body: 'secret' } }),
  ];
  for (const cause of causes) {
    const error = unreachable(url, cause);
    expect([error.code, error.isRetryable]).toEqual(['unreachable', true]);
    expect(error.message).toBe(`Cannot reach https://as.example/token: ${why}`);
    expect(inspect(error, { depth: 9 })).not.toMatch(/secret|password/);
  }
});

test('a body is read up to its limit, whole characters across its chunks', () => {
  const body = new Body();
  for (const byte of new TextEncoder().encode('{"ü":"€"}')) expect(body.add(Uint8Array.of(byte))).toBe(true);
  expect(body.text()).toBe('{"ü":"€"}');
  const large = new Body();
  expect(large.add(new Uint8Array(MAX_BODY_BYTES))).toBe(true);
  expect(large.add(Uint8Array.of(32))).toBe(false);
  expect(tooLarge(new URL('https://as.example/?code=secret')).message).toBe(
    'The answer of https://as.example/ is larger than 1048576 bytes',
  );
});
