import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AuthError } from '../errors.ts';
import type { OAuthResponse } from './exchange.ts';
import { answerIn, cleanText, documentIn, errorCodeIn, secondsIn } from './responses.ts';

const answer = (status: number, body: string, type: string | undefined = 'application/json'): OAuthResponse => ({
  status,
  header: (name) => (name === 'content-type' ? type : undefined),
  body,
});
const TOKEN = { who: 'The token endpoint', statuses: [200], field: 'access_token' };

function failure(run: () => unknown): AuthError {
  try {
    run();
  } catch (error) {
    if (error instanceof AuthError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a published document', () => {
  test('is JSON by its content type and by its content', () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/Foo+JSON',
      ' application/json',
    ]) {
      expect(documentIn(answer(200, '{"a":1}', type), 'It')).toEqual({ a: 1 });
    }
    for (const type of [
      undefined,
      '',
      'text/html',
      'text/json',
      'application/jsonp',
      'application/x; a=application/json',
    ]) {
      const response = { ...answer(200, '{"a":1}'), header: () => type };
      expect(failure(() => documentIn(response, 'It'))).toMatchObject({ code: 'not_json', isRetryable: false });
    }
    for (const body of ['', '[]', 'null', '"a"', '<html>', '{"a":1', `${'['.repeat(100_000)}`]) {
      expect(failure(() => documentIn(answer(200, body), 'It')).code).toBe('not_json');
    }
  });

  test('is there with status 200 alone; trouble of the moment may be over soon', () => {
    for (const [status, isRetryable] of [
      [201, false],
      [204, false],
      [403, false],
      [404, false],
      [408, true],
      [429, true],
      [500, true],
      [503, true],
    ] as const) {
      const error = failure(() => documentIn(answer(status, '{}'), 'The metadata'));
      expect(error).toMatchObject({ code: 'unexpected_status', isRetryable });
      expect(error.message).toBe(`The metadata answered status ${status} instead of 200`);
    }
  });

  test('is not where a redirect points to', () => {
    const error = failure(() => documentIn(answer(302, ''), 'The metadata'));
    expect(error.code).toBe('redirected');
    expect(error.message).toBe('The metadata answered with a redirect (status 302), and none is followed');
  });
});

describe('an answer of an endpoint', () => {
  test('that is an error has the code of the RFCs and what can be shown of the description', () => {
    const body = '{"error":"invalid_grant","error_description":"The code\\r\\nhas \\u001b[31mexpired"}';
    const error = failure(() => answerIn(answer(400, body), TOKEN));
    expect(error).toMatchObject({ code: 'invalid_grant', isRetryable: false });
    expect(error.message).toBe('The token endpoint refused: invalid_grant (The code has [31mexpired)');
  });

  test('may be an error with status 200, or of a wrong content type', () => {
    expect(failure(() => answerIn(answer(200, '{"error":"bad_verification_code"}'), TOKEN)).code).toBe(
      'bad_verification_code',
    );
    expect(failure(() => answerIn(answer(400, '{"error":"invalid_grant"}', 'text/plain'), TOKEN)).code).toBe(
      'invalid_grant',
    );
    expect(answerIn(answer(200, '{"error":"x","access_token":"a"}'), TOKEN)).toEqual({ error: 'x', access_token: 'a' });
  });

  test('that nobody but something on the way can have given may be different soon', () => {
    for (const [status, body] of [
      [200, '<html>'],
      [404, 'Not found'],
      [403, '<html>'],
      [502, ''],
      [500, '{}'],
      [429, '{"error":"invalid_request"}'],
      [400, '{"error":"temporarily_unavailable"}'],
      [503, '{"error":"server_error"}'],
    ] as const) {
      expect(failure(() => answerIn(answer(status, body, 'text/html'), TOKEN)).isRetryable).toBe(true);
    }
    expect(failure(() => answerIn(answer(400, '{}'), TOKEN)).isRetryable).toBe(false);
  });

  test('that redirects is followed nowhere', () => {
    for (const status of [301, 302, 303, 307, 308]) {
      expect(failure(() => answerIn(answer(status, '{"access_token":"a"}'), TOKEN)).code).toBe('redirected');
    }
  });

  test('is not quoted by errors, whatever is in it', () => {
    const secret = 'sEcReT-0123456789-abcdef';
    for (const body of [
      `{"error":"${secret}","error_description":"Refresh token ${secret} is unknown"}`,
      `{"error":"invalid_grant","error_description":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w"}`,
      `{"error":"invalid_grant","refresh_token":"${secret}"}`,
      `<html>${secret}`,
    ]) {
      const error = failure(() => answerIn(answer(400, body), TOKEN));
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/sEcReT|eyJ|dozj/);
    }
  });
});

test('text of strangers is one short line', () => {
  expect(cleanText('  a\n\tb\u0000\u202ec\u2028d\ud800e  ')).toBe('a b c d e');
  expect(cleanText('x '.repeat(300))).toBe(`${'x '.repeat(100).trimEnd()}...`);
  expect(cleanText('AADSTS70008: The provided authorization code or refresh token has expired')).toMatch(/expired$/);
  expect(cleanText('\u200b\n')).toBeUndefined();
  expect(cleanText(7)).toBeUndefined();
});

test('an error code has the characters of the RFCs, or it is none', () => {
  expect(errorCodeIn('insufficient_scope')).toBe('insufficient_scope');
  expect(errorCodeIn('https://example.com/errors#quota')).toBe('https://example.com/errors#quota');
  for (const bad of ['', 'two words', 'a"b', 'a\\b', 'é', 'a\n', 'a'.repeat(65), null, 3]) {
    expect(errorCodeIn(bad)).toBeUndefined();
  }
});

test('seconds may be written as a string', () => {
  expect([3600, '3600', '0', 1.5, '1.5'].map(secondsIn)).toEqual([3600, 3600, 0, 1.5, 1.5]);
  expect([-1, '-1', '1e3', '', ' 5', 'soon', null, Number.NaN, 1e300, []].map(secondsIn)).toEqual(
    Array(10).fill(undefined),
  );
});
