import { describe, expect, test } from 'vitest';
import { RpcError } from '../jsonrpc/errors.ts';
import type { ElicitResult } from '../protocol/model/elicitation.ts';
import { formAnswer, receivedForm, urlAnswer } from './form-answer.ts';

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, default: 'John Doe' },
    age: { type: 'integer', minimum: 0 },
  },
  required: ['name', 'age'],
};

/** What is sent after `content` was filled into a form with these fields. */
async function filled(properties: object, content: unknown, more: object = {}): Promise<ElicitResult['content']> {
  const form = receivedForm({ type: 'object', properties, ...more });
  return (await formAnswer(form, { action: 'accept', content })).content;
}

describe('a form', () => {
  test.each([
    undefined,
    null,
    true,
    [],
    {},
    { type: 'object' },
    { properties: {} },
    { type: 'string', properties: {} },
    { type: 'object', properties: [] },
  ])('is not %j', (schema) => {
    expect(() => receivedForm(schema)).toThrow(
      RpcError.invalidParams('"requestedSchema" must be an object schema with properties'),
    );
  });

  test.each([
    [{ properties: { a: 1 } }, '/properties/a must be a schema: an object, true or false'],
    [{ properties: { a: { type: 'text' } } }, '/properties/a/type must be string, number, '],
    [{ properties: {}, $schema: 'https://example.com/mine' }, '/$schema dialect not supported'],
    [{ properties: { a: { $ref: 'https://example.com/a' } } }, '/properties/a/$ref refers to another document'],
    [{ properties: { ['a'.repeat(1025)]: { type: 'string' } } }, '/properties/aaaa'],
  ])('that cannot be used says where: %j', (schema, fault) => {
    const read = (): unknown => receivedForm({ type: 'object', ...schema });
    expect(read).toThrow(RpcError);
    expect(read).toThrow(`"requestedSchema" cannot be used: ${fault}`);
    expect(read).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test('may have what forms do not have: it is shown as it came', () => {
    const schema = { ...person, 'x-order': ['age', 'name'], properties: { a: { type: 'string', 'x-rows': 3 } } };
    expect(receivedForm(schema).schema.jsonSchema).toBe(schema);
  });
});

describe('an accepted form', () => {
  test('is sent as it was filled in', async () => {
    const answer = await formAnswer(receivedForm(person), { action: 'accept', content: { name: 'Ann', age: 30 } });
    expect(answer).toEqual({ action: 'accept', content: { name: 'Ann', age: 30 } });
  });

  test('has the defaults of all fields that were left out', async () => {
    const properties = {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive'], default: 'active' },
      verified: { type: 'boolean', default: false },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      note: { type: 'string' },
    };
    const defaults = { name: 'John Doe', age: 30, score: 95.5, status: 'active', verified: false, tags: ['a'] };
    expect(await filled(properties, {})).toEqual(defaults);
    expect(await filled(properties, undefined)).toEqual(defaults);
    expect(await filled(properties, { age: 0, verified: true, note: undefined, name: undefined })).toEqual({
      ...defaults,
      age: 0,
      verified: true,
    });
  });

  test('may have an empty form', async () => {
    expect(await filled({}, undefined)).toEqual({});
  });

  test('does not take a default that breaks the rules of its own field', async () => {
    const properties = {
      mail: { type: 'string', format: 'email', default: '' },
      color: { type: 'string', enum: ['red'], default: '' },
      size: { type: 'integer', default: 4 },
    };
    expect(await filled(properties, {})).toEqual({ size: 4 });
    expect(await filled(properties, { mail: 'ann@example.com' })).toEqual({ mail: 'ann@example.com', size: 4 });
    await expect(filled(properties, {}, { required: ['mail'] })).rejects.toThrow(
      "onElicit: the answer does not follow the form: must have required property 'mail'",
    );
  });

  test.each([
    [{ age: 30.5 }, '/age must be integer'],
    [{ age: '30' }, '/age must be integer'],
    [{ age: -1 }, '/age must be >= 0'],
    [{ age: null }, '/age must be integer'],
    [{}, "must have required property 'age'"],
    [{ age: 3, name: 'A' }, '/name must not have fewer than 2 characters'],
    [{ age: 3, more: { a: 1 } }, '/more must be a string, a number, a boolean or an array of strings'],
    [{ age: 3, more: [1] }, '/more must be a string, a number, a boolean or an array of strings'],
    [{ age: 3, more: Number.NaN }, '/more must be a string, a number, a boolean or an array of strings'],
  ])('that does not follow it is a TypeError: %j', async (content, fault) => {
    const answer = formAnswer(receivedForm(person), { action: 'accept', content });
    await expect(answer).rejects.toThrow(TypeError);
    await expect(answer).rejects.toThrow(`onElicit: the answer does not follow the form: ${fault}`);
  });

  test('is told all that is wrong with it', async () => {
    const properties = { age: { type: 'integer' }, mail: { type: 'string', format: 'email' } };
    await expect(filled(properties, { age: 'x', mail: 'x' })).rejects.toThrow(
      'the form: /age must be integer; /mail must be an email address',
    );
  });

  test('does not show what the person wrote', async () => {
    await expect(filled({ pin: { type: 'string', maxLength: 4 } }, { pin: 'my secret' })).rejects.not.toThrow(/secret/);
    await expect(filled({ a: { type: 'string', format: 'uri' } }, { a: 'my secret' })).rejects.not.toThrow(/secret/);
  });

  test('may have choices, of one or of several', async () => {
    const properties = {
      one: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] },
      old: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
      many: { type: 'array', items: { anyOf: [{ const: 'r', title: 'Red' }] }, maxItems: 1 },
    };
    const content = { one: 'r', old: 'g', many: ['r'] };
    expect(await filled(properties, content)).toEqual(content);
    await expect(filled(properties, { one: 'x' })).rejects.toThrow('/one ');
    await expect(filled(properties, { old: 'x' })).rejects.toThrow('/old must be one of "r", "g"');
    await expect(filled(properties, { many: ['x'] })).rejects.toThrow('/many/0 ');
  });

  test('may have a field called __proto__', async () => {
    const properties: object = JSON.parse('{ "__proto__": { "type": "string", "default": "x" } }');
    const content = await filled(properties, {});
    expect(JSON.stringify(content)).toBe('{"__proto__":"x"}');
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype);
  });

  test.each(['Ann', null, ['Ann'], 7])('has content that is an object, not %j', async (content) => {
    await expect(filled({}, content)).rejects.toThrow(new TypeError('onElicit: the "content" must be an object'));
  });
});

describe('formats', () => {
  const cases: readonly (readonly [format: string, good: readonly string[], bad: readonly string[], text: string])[] = [
    [
      'email',
      ['ann@example.com', 'a.b+c@localhost', 'ü@bücher.example'],
      ['', 'ann', '@example.com', 'ann@', 'a b@example.com', 'a@b@c', 'ann@example.com\n'],
      'must be an email address',
    ],
    [
      'uri',
      ['https://example.com/a?b#c', 'urn:isbn:1', 'mailto:ann@example.com', 'HTTP://EXAMPLE.COM'],
      ['', 'example.com', '/a/b', 'https://exa mple.com', 'https://', 'http://[::1', ' https://example.com'],
      'must be a URI with its scheme',
    ],
    [
      'date',
      ['2026-07-28', '2024-02-29', '0000-01-01'],
      ['', '2026-7-28', '2026-02-29', '2026-13-01', '2026-00-10', '2026-01-32', '28.07.2026', '2026-07-28T00:00:00Z'],
      'must be a date such as 2026-07-28',
    ],
    [
      'date-time',
      ['2026-07-28T09:30:00Z', '2026-07-28t09:30:00.123z', '2016-12-31T23:59:60Z', '2026-07-28T09:30:00+05:30'],
      ['2026-07-28', '2026-07-28T09:30:00', '2026-07-28T24:00:00Z', '2026-02-30T09:30:00Z', '2026-07-28T09:60:00Z'],
      'must be a time with its zone such as 2026-07-28T09:30:00Z',
    ],
  ];

  test.each(cases)('%s', async (format, good, bad, text) => {
    const properties = { a: { type: 'string', format } };
    for (const a of good) expect(await filled(properties, { a })).toEqual({ a });
    for (const a of bad) {
      await expect(filled(properties, { a }), `"${a}"`).rejects.toThrow(`the form: /a ${text}`);
    }
  });

  test('others are remarks', async () => {
    expect(await filled({ a: { type: 'string', format: 'color' } }, { a: 'x' })).toEqual({ a: 'x' });
  });
});

describe.each(['decline', 'cancel'] as const)('who answers %s', (action) => {
  test('sends nothing of what was filled in', async () => {
    const form = receivedForm(person);
    expect(await formAnswer(form, { action, content: { name: 'Ann' } })).toEqual({ action });
    expect(await formAnswer(form, { action, content: null })).toEqual({ action });
    expect(urlAnswer({ action, content: {} })).toEqual({ action });
  });
});

test('consent to a URL carries no content', () => {
  expect(urlAnswer({ action: 'accept', content: { token: 'x' } })).toEqual({ action: 'accept' });
});

test.each([undefined, null, 'accept', true, [], {}, { action: 'yes' }, { content: {} }])(
  '%j is no answer',
  async (given) => {
    const text = 'onElicit: the answer must be an object whose "action" is "accept", "decline" or "cancel"';
    await expect(formAnswer(receivedForm(person), given)).rejects.toThrow(new TypeError(text));
    expect(() => urlAnswer(given)).toThrow(new TypeError(text));
  },
);
