/** Converts a JSON Schema to the subset that the protocol allows for elicitation forms. */

import { isObject } from '../jsonrpc/message.ts';
import type { ElicitField, ElicitForm } from './model/elicitation.ts';

const TEXT = ['title', 'description', 'default'];
const FORMATS = ['email', 'uri', 'date', 'date-time'];

/**
 * Converts an object schema to an elicitation form. Keywords that forms do not allow are dropped, because the response is
 * validated against the full schema. Throws a `TypeError` if the schema or one of its properties cannot be converted.
 */
export function elicitForm(schema: Readonly<Record<string, unknown>>): ElicitForm {
  const { properties, required } = schema;
  if (schema['type'] !== 'object' || !isObject(properties)) {
    throw new TypeError('The schema of a form must be an object schema with "properties"');
  }
  const fields = Object.entries(properties).map(([name, field]) => [name, fieldOf(name, field)]);
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(Array.isArray(required) && required.length > 0 ? { required: required as string[] } : {}),
  };
}

function fieldOf(name: string, schema: unknown): ElicitField {
  if (isObject(schema)) {
    const field = choice(schema) ?? primitive(schema) ?? multipleChoice(schema);
    if (field) return { ...pick(schema, TEXT), ...field } as unknown as ElicitField;
  }
  throw new TypeError(
    `Field "${name}" of a form must be a string, a number, a boolean, a choice of strings or an array of such a choice`,
  );
}

function primitive(schema: Record<string, unknown>): object | undefined {
  const { type, format } = schema;
  if (type === 'boolean') return { type };
  if (type === 'string') {
    return {
      type,
      ...pick(schema, ['minLength', 'maxLength']),
      ...(FORMATS.includes(format as string) ? { format } : {}),
    };
  }
  if (type !== 'number' && type !== 'integer') return undefined;
  const bounds = Object.entries(pick(schema, ['minimum', 'maximum']));
  // Drops bounds of ±`Number.MAX_SAFE_INTEGER` or beyond: schema libraries add them by default, and they do not help users.
  return {
    type,
    ...Object.fromEntries(bounds.filter(([, bound]) => Math.abs(bound as number) < Number.MAX_SAFE_INTEGER)),
  };
}

function choice(schema: Record<string, unknown>): Record<string, unknown> | undefined {
  const { enum: values, const: only } = schema;
  if (Array.isArray(values) && values.every((value) => typeof value === 'string')) {
    return { type: 'string', ...pick(schema, ['enum', 'enumNames']) };
  }
  if (typeof only === 'string') return { type: 'string', enum: [only] };
  const options = titledOptions(schema['oneOf'] ?? schema['anyOf']);
  return options && { type: 'string', oneOf: options };
}

function multipleChoice(schema: Record<string, unknown>): object | undefined {
  const { type, items } = schema;
  const each = type === 'array' && isObject(items) ? choice(items) : undefined;
  if (!each) return undefined;
  const options = each['oneOf'] ? { anyOf: each['oneOf'] } : { type: 'string', enum: each['enum'] };
  return { type, ...pick(schema, ['minItems', 'maxItems']), items: options };
}

function titledOptions(options: unknown): { const: string; title: string }[] | undefined {
  if (!Array.isArray(options) || !options.every((one) => isObject(one) && typeof one['const'] === 'string'))
    return undefined;
  return options.map((one) => ({ const: one.const, title: typeof one.title === 'string' ? one.title : one.const }));
}

function pick(schema: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]));
}
