import { expect, test } from 'vitest';
import { covers, firstScopes, formatScopes, parseScopes, unionOfScopes, withOfflineAccess } from './scopes.ts';

const as = { issuer: 'https://as.example' };

test('scopes are separated by spaces, and each counts once', () => {
  expect(parseScopes(' files:read  files:write files:read ')).toEqual(['files:read', 'files:write']);
  expect(parseScopes('   ')).toBeUndefined();
  expect(parseScopes(['a'])).toBeUndefined();
  expect(formatScopes(['a', 'b'])).toBe('a b');
  expect(formatScopes([])).toBeUndefined();
});

test('the challenge decides, then what the resource lists; with neither nothing is asked for', () => {
  expect(firstScopes(['a'], ['b', 'c'])).toEqual(['a']);
  expect(firstScopes(undefined, ['b', 'c'])).toEqual(['b', 'c']);
  expect(firstScopes(undefined, undefined)).toEqual([]);
});

test('offline_access is added where the authorization server lists it, and once', () => {
  const offering = { ...as, scopes_supported: ['openid', 'offline_access'] };
  expect(withOfflineAccess(['a'], offering)).toEqual(['a', 'offline_access']);
  expect(withOfflineAccess(['offline_access', 'a'], offering)).toEqual(['offline_access', 'a']);
  expect(withOfflineAccess(['a'], { ...as, scopes_supported: ['openid'] })).toEqual(['a']);
  expect(withOfflineAccess(['a'], as)).toEqual(['a']);
  // Alone it would take the place of what the server gives to those who name nothing.
  expect(withOfflineAccess([], offering)).toEqual([]);
});

test('a step up asks for what was requested before, then for what is missing', () => {
  expect(unionOfScopes(['mcp:basic', 'x'], ['mcp:write', 'x'])).toEqual(['mcp:basic', 'x', 'mcp:write']);
});

test('a scope is covered by itself alone: not by a longer, a shorter or a broader one', () => {
  expect(covers(['files', 'files:read'], ['files:read'])).toBe(true);
  expect(covers(['files:read:all', 'files'], ['files:read'])).toBe(false);
  expect(covers(['Files:Read'], ['files:read'])).toBe(false);
  expect(covers([], [])).toBe(true);
});
