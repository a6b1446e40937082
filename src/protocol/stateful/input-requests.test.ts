import { describe, expect, test } from 'vitest';
import type { ElicitForm } from '../model/elicitation.ts';
import type { CreateMessageParams } from '../model/sampling.ts';
import { revisionNamed } from '../revision-of-message.ts';
import { REVISIONS } from '../revisions.ts';

const encode = (version: string, request: unknown): { method: string; params?: Readonly<Record<string, unknown>> } => {
  const features = REVISIONS.find((one) => one.version === version);
  if (!features) throw new Error(version);
  return revisionNamed(features.version).encodeInputRequest(request as never);
};

const form = (properties: unknown, required?: string[]): object => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'm',
    requestedSchema: { type: 'object', properties, ...(required ? { required } : {}) } as ElicitForm,
  },
});

describe('a form', () => {
  test.each(['2024-11-05', '2025-03-26'])('is refused in %s', (version) => {
    expect(() => encode(version, form({}))).toThrow(expect.objectContaining({ code: -32602 }));
    expect(() => encode(version, form({}))).toThrow(/2024-11-05|2025-03-26/);
  });

  test('has in 2025-06-18 no mode, defaults only for booleans, and enumNames', () => {
    const request = form(
      {
        name: { type: 'string', title: 'Name', minLength: 1, format: 'email', default: 'x' },
        age: { type: 'integer', minimum: 0, default: 5 },
        sure: { type: 'boolean', default: true },
        plain: { type: 'string', enum: ['a', 'b'], default: 'a' },
        titled: {
          type: 'string',
          oneOf: [
            { const: 'a', title: 'A' },
            { const: 'b', title: 'B' },
          ],
          default: 'a',
        },
      },
      ['name'],
    );
    expect(encode('2025-06-18', request)).toEqual({
      method: 'elicitation/create',
      params: {
        message: 'm',
        requestedSchema: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', title: 'Name', minLength: 1, format: 'email' },
            age: { type: 'integer', minimum: 0 },
            sure: { type: 'boolean', default: true },
            plain: { type: 'string', enum: ['a', 'b'] },
            titled: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
          },
        },
      },
    });
  });

  test('with multiple choice is refused in 2025-06-18 with the field and the revision', () => {
    const request = form({ tags: { type: 'array', items: { type: 'string', enum: ['a'] } } });
    expect(() => encode('2025-06-18', request)).toThrow(/2025-06-18.*"tags"/);
    expect(encode('2025-11-25', request).params).toMatchObject({ mode: 'form' });
  });

  test.each(['2025-11-25', '2026-07-28'])('is sent as it is in %s, with its mode', (version) => {
    const request = form({ a: { type: 'string', default: 'x' } }) as { params: object };
    expect(encode(version, request).params).toEqual(request.params);
  });
});

describe('a URL', () => {
  const request = { method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'https://example.com' } };

  test.each(['2024-11-05', '2025-03-26', '2025-06-18'])('is refused in %s', (version) => {
    expect(() => encode(version, request)).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test('has an elicitationId in 2025-11-25 and none in 2026-07-28', () => {
    const first = encode('2025-11-25', request).params?.['elicitationId'];
    const second = encode('2025-11-25', request).params?.['elicitationId'];
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(first).not.toBe(second);
    expect(encode('2026-07-28', request).params).toEqual(request.params);
  });
});

describe('sampling', () => {
  const params: CreateMessageParams = {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'audio', data: 'AA', mimeType: 'audio/wav' },
        ],
      },
    ],
    maxTokens: 10,
  };
  const request = { method: 'sampling/createMessage', params };

  test('has one block per message before 2025-11-25', () => {
    expect(encode('2025-06-18', request).params?.['messages']).toEqual([
      { role: 'user', content: { type: 'text', text: 'a' } },
      { role: 'user', content: { type: 'audio', data: 'AA', mimeType: 'audio/wav' } },
    ]);
    expect(encode('2024-11-05', request).params?.['messages']).toEqual([
      { role: 'user', content: { type: 'text', text: 'a' } },
      { role: 'user', content: { type: 'text', text: '[audio, audio/wav]' } },
    ]);
    expect(encode('2025-11-25', request).params).toEqual(params);
    expect(encode('2026-07-28', request).params).toEqual(params);
  });

  test('with tools is refused before 2025-11-25', () => {
    const use = { type: 'tool_use', id: '1', name: 't', input: {} } as const;
    const withTools = { method: 'sampling/createMessage', params: { messages: [{ role: 'assistant', content: use }] } };
    expect(() => encode('2025-06-18', withTools)).toThrow(/2025-06-18.*tools/);
  });
});

test('roots/list has no params by default', () => {
  expect(encode('2025-06-18', { method: 'roots/list' })).toEqual({ method: 'roots/list' });
  expect(encode('2026-07-28', { method: 'roots/list' })).toEqual({ method: 'roots/list' });
});
