import { describe, expect, test } from 'vitest';
import { capabilityObject, hasCapability, isAvailable } from './capabilities.ts';
import { capabilityFor, isAnyInputResponse, isInputResponse } from './input-responses.ts';
import type { ClientCapabilities } from './model/capabilities.ts';
import { featuresOf, type RevisionFeatures } from './revisions.ts';

function features(version: string): RevisionFeatures {
  const found = featuresOf(version);
  if (!found) throw new Error(version);
  return found;
}

test('each input request requires its capability', () => {
  const form = { mode: 'form', message: 'm', requestedSchema: { type: 'object', properties: {} } } as const;
  expect(capabilityFor({ method: 'elicitation/create', params: form })).toBe('elicitation.form');
  expect(capabilityFor({ method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'x:' } })).toBe(
    'elicitation.url',
  );
  expect(capabilityFor({ method: 'roots/list' })).toBe('roots');
  const sampling = { messages: [], maxTokens: 1 };
  expect(capabilityFor({ method: 'sampling/createMessage', params: sampling })).toBe('sampling');
  expect(capabilityFor({ method: 'sampling/createMessage', params: { ...sampling, tools: [] } })).toBe(
    'sampling.tools',
  );
});

describe('a capability is available if it was declared and the revision has it', () => {
  const bare = { elicitation: {} };
  const form = { elicitation: { form: {} } };
  const url = { elicitation: { url: {} } };
  test.each<[string, ClientCapabilities, string, boolean]>([
    ['elicitation.form', {}, '2026-07-28', false],
    ['elicitation.form', bare, '2026-07-28', true],
    ['elicitation.form', form, '2026-07-28', true],
    ['elicitation.form', url, '2026-07-28', false],
    ['elicitation.url', bare, '2026-07-28', false],
    ['elicitation.url', url, '2025-11-25', true],
    ['elicitation.url', url, '2025-06-18', false],
    ['elicitation.form', url, '2025-06-18', true],
    ['elicitation.form', bare, '2025-03-26', false],
    ['elicitation', bare, '2024-11-05', false],
    ['sampling', { sampling: {} }, '2024-11-05', true],
    ['sampling.tools', { sampling: {} }, '2026-07-28', false],
    ['sampling.tools', { sampling: { tools: {} } }, '2026-07-28', true],
    ['sampling.tools', { sampling: { tools: {} } }, '2025-06-18', false],
    ['roots', { roots: {} }, '2026-07-28', true],
    ['extensions.com.example/a.b', { extensions: { 'com.example/a.b': {} } }, '2026-07-28', true],
    ['constructor', {}, '2026-07-28', false],
    ['__proto__', {}, '2026-07-28', false],
  ])('%s of %j in %s: %s', (name, capabilities, version, expected) => {
    expect(isAvailable(name, capabilities, features(version))).toBe(expected);
  });

  test('null and false declare nothing', () => {
    expect(hasCapability({ roots: null } as unknown as ClientCapabilities, 'roots')).toBe(false);
    expect(hasCapability({ sampling: false } as unknown as ClientCapabilities, 'sampling.tools')).toBe(false);
  });

  test('a dotted name becomes the object that declares it', () => {
    expect(capabilityObject('elicitation.form')).toEqual({ elicitation: { form: {} } });
    expect(capabilityObject('extensions.com.example/a.b')).toEqual({ extensions: { 'com.example/a.b': {} } });
  });
});

describe('an input response has the shape of its method', () => {
  test.each<[string, unknown, boolean]>([
    ['elicitation/create', { action: 'accept', content: {} }, true],
    ['elicitation/create', { action: 'decline' }, true],
    ['elicitation/create', { action: 'maybe' }, false],
    ['elicitation/create', { action: 'accept', content: [] }, false],
    ['elicitation/create', { action: 'accept', content: null }, false],
    ['elicitation/create', null, false],
    ['sampling/createMessage', { role: 'assistant', model: 'm', content: { type: 'text', text: '' } }, true],
    ['sampling/createMessage', { role: 'assistant', model: 'm', content: [] }, true],
    ['sampling/createMessage', { role: 'system', model: 'm', content: { type: 'text', text: '' } }, false],
    ['sampling/createMessage', { role: 'assistant', content: { type: 'text', text: '' } }, false],
    ['sampling/createMessage', { role: 'assistant', model: 'm', content: 'x' }, false],
    ['sampling/createMessage', { role: 'assistant', model: 'm' }, false],
    ['roots/list', { roots: [{ uri: 'file:///a' }] }, true],
    ['roots/list', { roots: [] }, true],
    ['roots/list', { roots: [{}] }, false],
    ['roots/list', { roots: {} }, false],
    ['roots/list', { action: 'accept' }, false],
    ['no/such', { action: 'accept' }, false],
    ['__proto__', {}, false],
  ])('%s: %j: %s', (method, answer, expected) => {
    expect(isInputResponse(method, answer)).toBe(expected);
  });

  test('isAnyInputResponse accepts the shape of any method', () => {
    expect([{ roots: [] }, { action: 'cancel' }, {}, 5, null].map(isAnyInputResponse)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
