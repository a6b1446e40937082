import { describe, expect, test } from 'vitest';
import { canonicalJson, fingerprint } from '../../jsonrpc/json/canonical-json.ts';
import { Seal } from './request-state.ts';

const KEY = 'k'.repeat(32);
const OTHER = 'o'.repeat(32);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('a sealed token', () => {
  test('is opened with the same key and binding', async () => {
    const token = await new Seal([KEY]).seal('text ünd 世界', 'b');
    expect(token).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    expect(await new Seal([KEY]).open(token, 'b')).toBe('text ünd 世界');
    expect(await new Seal([new TextEncoder().encode(KEY)]).open(token, 'b')).toBe('text ünd 世界');
  });

  test('does not show its text and differs each time', async () => {
    const seal = new Seal([KEY]);
    const [first, second] = [await seal.seal('secret', 'b'), await seal.seal('secret', 'b')];
    expect(first).not.toBe(second);
    expect(Buffer.from(first.slice(3), 'base64url').toString('latin1')).not.toContain('secret');
  });

  test('is not opened with another binding or key', async () => {
    const token = await new Seal([KEY]).seal('x', 'b');
    expect(await new Seal([KEY]).open(token, 'c')).toBeUndefined();
    expect(await new Seal([KEY]).open(token, '')).toBeUndefined();
    expect(await new Seal([OTHER]).open(token, 'b')).toBeUndefined();
    expect(await new Seal().open(token, 'b')).toBeUndefined();
  });

  test('is not opened if any character is changed', async () => {
    const seal = new Seal([KEY]);
    const token = await seal.seal('x', 'b');
    for (let at = 0; at < token.length; at++) {
      const next = ALPHABET[(ALPHABET.indexOf(token[at] ?? '') + 1) % 64];
      expect(await seal.open(token.slice(0, at) + next + token.slice(at + 1), 'b'), `at ${at}`).toBeUndefined();
    }
    for (const character of ALPHABET) {
      if (token.endsWith(character)) continue;
      expect(await seal.open(token.slice(0, -1) + character, 'b'), `last ${character}`).toBeUndefined();
    }
  });

  test('is not opened if it is shorter, longer or spelled differently', async () => {
    const seal = new Seal([KEY]);
    const token = await seal.seal('x', 'b');
    for (let length = 0; length < token.length; length++) {
      expect(await seal.open(token.slice(0, length), 'b')).toBeUndefined();
    }
    for (const other of [`${token}A`, `${token}=`, `${token}\n`, ` ${token}`, `V1${token.slice(2)}`, `v1.${token}`]) {
      expect(await seal.open(other, 'b')).toBeUndefined();
    }
    expect(await seal.open(`v1.${'A'.repeat(10_000_000)}`, 'b')).toBeUndefined();
  });

  test('of an old key is opened while that key is configured; the first key seals', async () => {
    const old = await new Seal([OTHER]).seal('x', 'b');
    const ring = new Seal([KEY, OTHER]);
    expect(await ring.open(old, 'b')).toBe('x');
    const fresh = await ring.seal('y', 'b');
    expect(await new Seal([KEY]).open(fresh, 'b')).toBe('y');
    expect(await new Seal([OTHER]).open(fresh, 'b')).toBeUndefined();
  });

  test('requires secrets of at least 32 bytes', () => {
    expect(() => new Seal(['x'.repeat(31)])).toThrow(TypeError);
    expect(() => new Seal([new Uint8Array(31)])).toThrow(TypeError);
    expect(() => new Seal([''])).toThrow(TypeError);
  });
});

describe('canonical JSON', () => {
  test('is the same for equal values, and only for those', () => {
    expect(canonicalJson({ b: 1, a: [{ d: 1, c: 2 }] })).toBe(canonicalJson({ a: [{ c: 2, d: 1 }], b: 1 }));
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
    expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }));
    expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
    expect(canonicalJson({ 10: 1, 9: 2 })).toBe(canonicalJson({ 9: 2, 10: 1 }));
  });

  test('has fingerprints that differ for different input requests', () => {
    const marks = new Set(Array.from({ length: 10_000 }, (_, i) => fingerprint({ message: `question ${i}` })));
    expect(marks.size).toBe(10_000);
    expect(fingerprint({ a: 1, b: 2 })).toBe(fingerprint({ b: 2, a: 1 }));
  });
});
