import { describe, expect, test } from 'vitest';
import { challengeIn, readChallenges } from './challenge.ts';

describe('challenges', () => {
  test('have a scheme and parameters, quoted or not', () => {
    expect(readChallenges('Bearer')).toEqual([{ scheme: 'bearer' }]);
    expect(
      readChallenges(
        'Bearer error="insufficient_scope", scope="files:read files:write", resource_metadata="https://a.example/x"',
      ),
    ).toEqual([
      {
        scheme: 'bearer',
        error: 'insufficient_scope',
        scopes: ['files:read', 'files:write'],
        resourceMetadata: 'https://a.example/x',
      },
    ]);
    expect(readChallenges('bearer error=invalid_token,scope=a')).toEqual([
      { scheme: 'bearer', error: 'invalid_token', scopes: ['a'] },
    ]);
  });

  test('come several in one field', () => {
    expect(
      readChallenges(
        'Negotiate YIIB8w==, Basic realm="a, Bearer error=\\"x\\"", Bearer error="invalid_token", DPoP algs="ES256", error="use_dpop_nonce"',
      ),
    ).toEqual([
      { scheme: 'negotiate' },
      { scheme: 'basic' },
      { scheme: 'bearer', error: 'invalid_token' },
      { scheme: 'dpop', error: 'use_dpop_nonce' },
    ]);
    expect(readChallenges('Bearer, DPoP')).toEqual([{ scheme: 'bearer' }, { scheme: 'dpop' }]);
    expect(readChallenges('NTLM,Bearer scope=a')).toEqual([{ scheme: 'ntlm' }, { scheme: 'bearer', scopes: ['a'] }]);
  });

  test('are read in spite of odd spacing, missing commas and forgotten quotes', () => {
    const expected = [{ scheme: 'bearer', error: 'invalid_token', resourceMetadata: 'https://a.example/x?y=1' }];
    for (const header of [
      'Bearer error = "invalid_token" ,\t resource_metadata= "https://a.example/x?y=1"',
      ',, Bearer   error="invalid_token",,,resource_metadata="https://a.example/x?y=1",',
      'Bearer error="invalid_token" resource_metadata="https://a.example/x?y=1"',
      'Bearer error=invalid_token, resource_metadata=https://a.example/x?y=1',
      'BEARER ERROR="invalid_token",RESOURCE_METADATA="https://a.example/x?y=1"',
    ]) {
      expect(readChallenges(header)).toEqual(expected);
    }
  });

  test('have escapes in quotes, and the first of two equal parameters', () => {
    expect(
      readChallenges('Bearer resource_metadata="https://a.example/\\"\\\\x", resource_metadata="https://b.example/"'),
    ).toEqual([{ scheme: 'bearer', resourceMetadata: 'https://a.example/"\\x' }]);
  });

  test('have no empty parameters', () => {
    expect(readChallenges('Bearer scope="", error="", resource_metadata=""')).toEqual([{ scheme: 'bearer' }]);
    expect(readChallenges('Bearer scope="   "')).toEqual([{ scheme: 'bearer' }]);
    expect(readChallenges('Bearer scope=')).toEqual([{ scheme: 'bearer' }]);
  });

  test('are none where nothing makes sense', () => {
    for (const header of [undefined, '', '  ,, ', '"', '="x"', 'realm="x"', '@@@'])
      expect(readChallenges(header)).toEqual([]);
    expect(readChallenges('Bearer scope="a, error="x')).toEqual([
      { scheme: 'bearer', scopes: ['a,', 'error='] },
      { scheme: 'x' },
    ]);
    expect(readChallenges('Bearer error="two words", scope="never ends')).toEqual([{ scheme: 'bearer' }]);
    expect(readChallenges('Bearer __proto__="x", constructor="y"')).toEqual([{ scheme: 'bearer' }]);
  });

  test('of hostile length are read in the time it takes to look at each letter a few times', () => {
    // If it were the square of that, this would take minutes, and the test's time would be over.
    const size = 256 * 1024;
    for (const part of ['a', ' ', '"', '\\', '=', 'a ', 'a="', 'a,', '"\\', 'a==', 'a/']) {
      const run = part.repeat(size / part.length);
      expect(readChallenges(`Bearer scope=s, ${run}`)[0]).toMatchObject({ scheme: 'bearer', scopes: ['s'] });
    }
  });
});

describe('the challenge to follow', () => {
  test('is one for access tokens', () => {
    expect(challengeIn('Basic realm="x", Bearer scope="a"')).toEqual({ scheme: 'bearer', scopes: ['a'] });
    expect(challengeIn('DPoP algs="ES256"')).toEqual({ scheme: 'dpop' });
    expect(challengeIn('Basic realm="x", Negotiate')).toBeUndefined();
    expect(challengeIn(undefined)).toBeUndefined();
  });

  test('is the one that says what is wrong, then the one that says where to look, then the first', () => {
    expect(challengeIn('Bearer, DPoP')?.scheme).toBe('bearer');
    expect(challengeIn('DPoP, Bearer')?.scheme).toBe('dpop');
    expect(challengeIn('Bearer, DPoP resource_metadata="https://a.example/"')?.scheme).toBe('dpop');
    expect(challengeIn('Bearer resource_metadata="https://a.example/", DPoP error="use_dpop_nonce"')).toEqual({
      scheme: 'dpop',
      error: 'use_dpop_nonce',
      resourceMetadata: 'https://a.example/',
    });
  });
});
