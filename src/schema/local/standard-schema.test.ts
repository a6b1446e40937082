import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { isStandardSchema } from './standard-schema.ts';

test.each([
  ['zod', z.object({})],
  ['zod/mini', mini.object({})],
  ['valibot', v.object({})],
  ['arktype, whose schemas are functions', type({ a: 'string' })],
])('a schema of %s is a Standard Schema', (_, schema) => {
  expect(isStandardSchema(schema)).toBe(true);
});

test.each([
  ['a JSON Schema', { type: 'object' }],
  ['a TypeBox type', Type.Object({})],
  ['another version of the standard', { '~standard': { version: 2, vendor: 'x', validate: () => ({ value: 1 }) } }],
  ['a standard without validate', { '~standard': { version: 1, vendor: 'x' } }],
  ['null', null],
  ['a string', 'x'],
])('%s is not a Standard Schema', (_, schema) => {
  expect(isStandardSchema(schema)).toBe(false);
});
