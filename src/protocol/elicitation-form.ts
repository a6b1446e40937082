/** Converts a JSON Schema to the subset that the protocol allows for elicitation forms. */

import { isObject } from '../jsonrpc/message.ts';
import type { ElicitField, ElicitForm } from './model/elicitation.ts';

const TEXT = ['title', 'description', 'default'];
const FORMATS = ['email', 'uri', 'date', 'date-time'];

/**
 * Returns the elicitation form for an object schema. Keywords that forms do not have are dropped: the response is validated with
 * the full schema. Throws a `TypeError` for a property that cannot be a form field.
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
  // The limits of safe integers are left out: schema libraries add them, and they mean nothing to a person.
  return {
    type,
    ...Object.fromEntries(bounds.filter(([, bound]) => Math.abs(bound as number) < Number.MAX_SAFE_INTEGER)),
  };
}

function choice(schema: Record<string, unknown>): object | undefined {
  if (Array.isArray(schema['enum']) && schema['enum'].every((value) => typeof value === 'string')) {
    return { type: 'string', ...pick(schema, ['enum', 'enumNames']) };
  }
  if (typeof schema['const'] === 'string') return { type: 'string', enum: [schema['const']] };
  const options = titledOptions(schema['oneOf'] ?? schema['anyOf']);
  return options && { type: 'string', oneOf: options };
}

function multipleChoice(schema: Record<string, unknown>): object | undefined {
  const { type, items } = schema;
  if (type !== 'array' || !isObject(items)) return undefined;
  const base = { type, ...pick(schema, ['minItems', 'maxItems']) };
  const options = titledOptions(items['anyOf'] ?? items['oneOf']);
  if (options) return { ...base, items: { anyOf: options } };
  const { enum: values } = items;
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return undefined;
  return { ...base, items: { type: 'string', enum: values } };
}

function titledOptions(options: unknown): { const: string; title: string }[] | undefined {
  if (!Array.isArray(options) || !options.every((one) => isObject(one) && typeof one['const'] === 'string'))
    return undefined;
  return options.map((one) => ({ const: one.const, title: typeof one.title === 'string' ? one.title : one.const }));
}

function pick(schema: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]));
}
