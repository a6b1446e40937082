// Values that programs tend to handle wrongly, as JSON text.

const SHORT = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e999',
  '-1e999',
  '1e-999',
  '1e21',
  '2147483648',
  '9007199254740991',
  '9007199254740993',
  '""',
  '" "',
  '"0"',
  '"null"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\u001b[31mred\\u001b[0m"',
  '"\\u202eright to left\\u2066"',
  '"\\u009b31m"',
  '"line\\r\\ndata: second"',
  '"%00%ff%zz%"',
  '"{id}"',
  '"~0~1~2"',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '{"":null}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":1,"a":2}',
  '{"$ref":"#"}',
  '{"toJSON":1,"then":2}',
];

/** Lengths, from the usual to the largest that a message can have. */
export function lengthOf(random) {
  return random.weighted([
    [40, () => random.below(40)],
    [30, () => 100 + random.below(400)],
    [20, () => 1000 + random.below(9000)],
    [6, () => 65_536],
    [2, () => 300_000],
    [1, () => 1_000_000],
    [0.3, () => 3_600_000],
  ])();
}

const UNITS = [
  'x',
  '~',
  '/',
  '~/',
  '~1',
  '%41',
  '%',
  '\\u0000',
  '\\ud800',
  'é',
  '😀',
  '\\\\',
  '{',
  'a/',
  '0',
  ' ',
  '\\n',
  'aA1-',
];

/** A long string, without its quotes. */
export function longText(random, length = lengthOf(random)) {
  const unit = random.pick(UNITS);
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)));
}

const LONG = [
  (random) => `"${longText(random)}"`,
  (random) => '1'.repeat(Math.min(lengthOf(random), 20_000) + 1),
  (random) => `1e${'9'.repeat(Math.min(lengthOf(random), 20_000) + 1)}`,
  (random) => {
    const depth = random.pick([10, 60, 70, 200, 5000, 100_000]);
    return random.chance(0.5) ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  },
  (random) => `[${Array.from({ length: countOf(random) }, () => random.pick(['0', '"x"', '{}', 'null'])).join()}]`,
  (random) =>
    `[${Array(countOf(random))
      .fill(random.pick(['1', '"x"', '[]']))
      .join()}]`,
  (random) =>
    `{${Array.from({ length: countOf(random) }, (_, index) => `"k${index}":${random.pick(['0', '"x"'])}`).join()}}`,
  // A long key above many wrong items: what is reported of each item must not hold the whole key.
  (random) => `{"${longText(random)}":[${Array(countOf(random)).fill('"x"').join()}]}`,
  (random) => `{"${longText(random)}":{"${longText(random, 1000)}":[${Array(100).fill('{}').join()}]}}`,
];

function countOf(random) {
  return random.weighted([
    [50, () => random.below(20)],
    [30, () => 200],
    [15, () => 5000],
    [4, () => 32_000],
    [1, () => 110_000],
  ])();
}

/** JSON text of an odd value. */
export function oddValue(random) {
  return random.chance(0.8) ? random.pick(SHORT) : random.pick(LONG)(random);
}

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  '',
  '0',
  'id',
  'jsonrpc',
  'method',
  'params',
  'result',
  'error',
  '_meta',
  '$ref',
  '\u0000',
  '\ud800',
  '\u001b[2J',
];

/** The name of a member. */
export function oddKey(random) {
  return random.chance(0.85) ? random.pick(KEYS) : JSON.parse(`"${longText(random)}"`);
}
