import { expect, test } from 'vitest';
import { readSchema, type SchemaFault } from '../read/read-schema.ts';
import { suspiciousKeywords } from './suspicious-keywords.ts';

function mistakesIn(schema: object): SchemaFault[] {
  const mistakes: SchemaFault[] = [];
  readSchema(schema, undefined, (each, path) => mistakes.push(...suspiciousKeywords(each, path)));
  return mistakes;
}

test('a misspelled keyword is reported with its path, at any depth', () => {
  const schema = { type: 'object', properties: { a: { type: 'array', items: { minimun: 3 } } }, requierd: ['a'] };
  expect(mistakesIn(schema)).toEqual([
    {
      path: '/properties/a/items/minimun',
      message: 'JSON Schema has no such keyword, so it has no effect; did you mean "minimum"?',
    },
    {
      path: '/requierd',
      message: 'JSON Schema has no such keyword, so it has no effect; did you mean "required"?',
    },
  ]);
});

test.each([
  [{ example: 1, nullable: true, 'x-order': 1, discriminator: {}, 'mcpp/unit': 'm' }],
  [{ properties: { requierd: { type: 'string' } } }],
  [{ default: { propertees: 1 }, const: { requierd: 1 }, enum: [{ minimun: 1 }] }],
])('property names, data and OpenAPI keywords are not reported: %j', (schema) => {
  expect(mistakesIn(schema)).toEqual([]);
});

test('a required name without a property is reported', () => {
  const schema = { type: 'object', properties: { a: {} }, required: ['a', 'b'] };
  expect(mistakesIn(schema)).toEqual([{ path: '/required', message: '"b" is not one of the properties' }]);
});

test.each([{ additionalProperties: true }, { patternProperties: {} }, { allOf: [{}] }, { $ref: '#/$defs/x' }])(
  'a required name may come from elsewhere: %j',
  (more) => {
    expect(mistakesIn({ properties: { a: {} }, required: ['b'], ...more })).toEqual([]);
  },
);
