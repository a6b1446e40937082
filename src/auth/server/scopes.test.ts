import { describe, expect, test } from 'vitest';
import { grantedScopes, scopeList, widening } from './scopes.ts';

test('a scope is what RFC 6749 says: no blanks, quotes, backslashes or anything beyond ASCII', () => {
  expect(scopeList(['files:read', 'https://api.example.com/x', '!#[]~'], 'scopes')).toHaveLength(3);
  for (const bad of ['', 'a b', 'a"b', 'a\\b', 'ä', 'a\r\nb']) {
    expect(() => scopeList([bad], 'scopes')).toThrow(
      new TypeError('The option "scopes" must be a list of scopes, such as ["files:read"]'),
    );
  }
  expect(() => scopeList('read' as never, 'scopesSupported')).toThrow('The option "scopesSupported"');
});

test('each is named once, and nobody can add one', () => {
  const scopes = scopeList(['a', 'b', 'a'], 'scopes');
  expect(scopes).toEqual(['a', 'b']);
  expect(() => (scopes as string[]).push('c')).toThrow(TypeError);
});

test('no request needs offline_access', () => {
  expect(() => scopeList(['read', 'offline_access'], 'scopesSupported')).toThrow(
    new TypeError('The option "scopesSupported" must not have "offline_access": no request needs it'),
  );
});

describe('a hierarchy', () => {
  test('widens all the way down, and ends where scopes imply each other', () => {
    const widen = widening({ admin: ['write'], write: ['read'], read: ['admin'] });
    expect(widen(['write', 'other'])).toEqual(['write', 'other', 'read', 'admin']);
    expect(widen(['other'])).toEqual(['other']);
  });

  test('is no object of JavaScript: names of its own are scopes like others', () => {
    expect(widening({ admin: ['read'] })(['constructor', '__proto__'])).toEqual(['constructor', '__proto__']);
  });

  test('has scopes on both sides', () => {
    expect(() => widening({ 'a b': ['read'] })).toThrow('The option "implies"');
    expect(() => widening({ admin: 'read' as never })).toThrow('The option "implies"');
    expect(() => widening([] as never)).toThrow('The option "implies"');
  });
});

test('what was granted is in "scope", or in "scp" as a text or a list', () => {
  expect(grantedScopes({ scope: 'read write' })).toEqual(['read', 'write']);
  expect(grantedScopes({ scp: 'read  write' })).toEqual(['read', 'write']);
  expect(grantedScopes({ scp: ['read', 7, 'write'] })).toEqual(['read', 'write']);
  expect(grantedScopes({ scope: 7 })).toEqual([]);
  expect(grantedScopes({})).toEqual([]);
});
