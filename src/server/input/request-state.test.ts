import { describe, expect, test } from 'vitest';
import { canonicalJson, fingerprint } from '../../jsonrpc/json/canonical-json.ts';
import { Seal } from './request-state.ts';

const KEY = 'k'.repeat(32);
const OTHER = 'o'.repeat(32);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('a seal', () => {
  test('is opened by whoever has the key and names the same binding', async () => {
    const token = await new Seal([KEY]).seal('text ünd 世界', 'b');
    expect(token).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    expect(await new Seal([KEY]).open(token, 'b')).toBe('text ünd 世界');
    expect(await new Seal([new TextEncoder().encode(KEY)]).open(token, 'b')).toBe('text ünd 世界');
  });

  test('hides what it seals, and is never twice the same', async () => {
    const seal = new Seal([KEY]);
    const [first, second] = [await seal.seal('secret', 'b'), await seal.seal('secret', 'b')];
    expect(first).not.toBe(second);
    expect(Buffer.from(first.slice(3), 'base64url').toString('latin1')).not.toContain('secret');
  });

  test('stays shut for any other binding or key', async () => {
    const token = await new Seal([KEY]).seal('x', 'b');
    expect(await new Seal([KEY]).open(token, 'c')).toBeUndefined();
    expect(await new Seal([KEY]).open(token, '')).toBeUndefined();
    expect(await new Seal([OTHER]).open(token, 'b')).toBeUndefined();
    expect(await new Seal().open(token, 'b')).toBeUndefined();
  });

  test('stays shut if any one character is another', async () => {
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

  test('stays shut for what is shorter, longer, or written differently', async () => {
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

  test('made with an old key opens as long as the key is on the ring; the first key seals', async () => {
    const old = await new Seal([OTHER]).seal('x', 'b');
    const ring = new Seal([KEY, OTHER]);
    expect(await ring.open(old, 'b')).toBe('x');
    const fresh = await ring.seal('y', 'b');
    expect(await new Seal([KEY]).open(fresh, 'b')).toBe('y');
    expect(await new Seal([OTHER]).open(fresh, 'b')).toBeUndefined();
  });

  test('needs 32 bytes of secret', () => {
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

  test('has a mark that differs for different questions', () => {
    const marks = new Set(Array.from({ length: 10_000 }, (_, i) => fingerprint({ message: `question ${i}` })));
    expect(marks.size).toBe(10_000);
    expect(fingerprint({ a: 1, b: 2 })).toBe(fingerprint({ b: 2, a: 1 }));
  });
});
