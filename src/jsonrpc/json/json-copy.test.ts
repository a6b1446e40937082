import { describe, expect, test } from 'vitest';
import { EncodedJson } from '../message.ts';
import { jsonCopy } from './json-copy.ts';

class Point {
  readonly #hidden = 1;
  x = this.#hidden;
  get y(): number {
    return 2;
  }
}

const odd = Object.assign(Object.create({ inherited: 1 }) as object, { own: 2 });

describe('a copy is what JSON makes of it', () => {
  test.each<[string, unknown]>([
    ['plain data', { a: [1, 'two', true, null, { b: {} }], 'c d': 1.5, 1: 'one' }],
    ['numbers that JSON has not', { nan: Number.NaN, infinite: Number.POSITIVE_INFINITY, zero: -0 }],
    [
      'what has no value',
      { none: undefined, call: () => 1, mark: Symbol('s'), list: [undefined, () => 1, Symbol('s')] },
    ],
    ['holes', Object.assign(new Array(3), { 0: 1 })],
    ['dates', { at: new Date(0), all: [new Date(1)] }],
    ['what says itself how it is written', { toJSON: () => ({ a: 1 }) }],
    ['a function that does', Object.assign(() => 1, { toJSON: () => 'call' })],
    ['boxed values', { text: Object('a'), number: Object(1) }],
    ['instances', { point: new Point(), map: new Map([[1, 2]]), error: new Error('no'), bytes: new Uint8Array(2) }],
    ['what inherits', odd],
    ['what inherits nothing', Object.assign(Object.create(null) as object, { a: 1 })],
    ['a member named __proto__', JSON.parse('{"a":{"__proto__":{"b":1}},"__proto__":2}')],
    ['what is deep', JSON.parse(`${'[{"a":'.repeat(200)}1${'}]'.repeat(200)}`)],
    ['half of a character', '\ud800'],
    ['text that is encoded already', { result: new EncodedJson('{"a":[1]}') }],
  ])('%s', (_what, value) => {
    const text = JSON.stringify(value);
    expect(JSON.stringify(jsonCopy(value))).toBe(text);
    expect(jsonCopy(value)).toStrictEqual(JSON.parse(text));
  });

  test('and nothing of the original is in it', () => {
    const value = { list: [{ a: 1 }], ['__proto__' as string]: undefined };
    const copied = jsonCopy(value) as typeof value;
    expect([copied === value, copied.list === value.list, copied.list[0] === value.list[0]]).toEqual(
      Array(3).fill(false),
    );
  });

  test('what JSON cannot say is refused likewise', () => {
    const circle: Record<string, unknown> = {};
    circle['inside'] = { circle };
    expect(() => jsonCopy(circle)).toThrow(TypeError);
    expect(() => jsonCopy({ many: 1n })).toThrow(TypeError);
  });
});
