import { describe, expect, test } from 'vitest';
import { closest } from './closest.ts';

describe('the closest name', () => {
  test.each([
    ['helo', ['hello', 'help'], 'hello'],
    ['inputschema', ['outputSchema', 'inputSchema'], 'inputSchema'],
    ['pagesize', ['pageSize'], 'pageSize'],
    ['timout', ['timeout'], 'timeout'],
    ['host', ['port', 'hosts'], 'hosts'],
    ['recieve', ['receive'], 'receive'],
    ['parameters', ['inputSchema', 'description'], undefined],
    ['a', ['bcd'], undefined],
    ['x'.repeat(1000), ['x'.repeat(1000)], undefined],
    ['', [], undefined],
  ])('%s of %j is %s', (name, names, expected) => {
    expect(closest(name, names)).toBe(expected);
  });
});
