import { expect, test } from 'vitest';
import { noResponse } from './failures.ts';

test.each([
  ['ECONNREFUSED', 'nothing listens there: is the server running, and is it this port?'],
  ['ENOTFOUND', 'there is no host of this name'],
  ['EPROTO', 'it does not speak TLS: try http:'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS: try http:'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not trusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is not trusted'],
  ['EHOSTUNREACH', 'the connection failed'],
])('a server that cannot be reached is told of in words, with the code: %s', (code, words) => {
  const cause = Object.assign(new Error('connect'), { code });
  expect(noResponse(cause, 'http://a/mcp')).toMatchObject({
    code: 'unreachable',
    message: `Cannot reach http://a/mcp: ${words} (${code})`,
    cause,
  });
  // As fetch has it.
  const wrapped = new TypeError('fetch failed', { cause });
  expect(noResponse(wrapped, 'http://a/mcp').message).toBe(`Cannot reach http://a/mcp: ${words} (${code})`);
});
