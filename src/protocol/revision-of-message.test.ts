import { describe, expect, test } from 'vitest';
import { MetaKey } from './model/meta.ts';
import { isServed, requestedVersion, revisionNamed, selectRevision } from './revision-of-message.ts';
import { REVISIONS } from './revisions.ts';
import type { Session } from './session.ts';

const all: readonly string[] = REVISIONS.map((features) => features.version);
const meta = (version: unknown, more: object = {}): { _meta: Record<string, unknown> } => ({
  _meta: { [MetaKey.protocolVersion]: version, [MetaKey.clientCapabilities]: {}, ...more },
});
const session = (version: string): Session => ({
  version,
  clientInfo: undefined,
  capabilities: {},
  initialized: true,
  logLevel: undefined,
  declared: {},
  subscriptions: [],
});
const picked = (method: string, params: object, open?: Session, served = all): string =>
  selectRevision(requestedVersion(params as never), method, params as never, open, served).features.version;

describe('a claim', () => {
  test('in _meta selects a stateless revision, with or without a session', () => {
    expect(picked('tools/list', meta('2026-07-28'))).toBe('2026-07-28');
    expect(picked('tools/list', meta('2026-07-28'), session('2025-06-18'))).toBe('2026-07-28');
    expect(picked('initialize', meta('2026-07-28'))).toBe('2026-07-28');
  });

  test.each(['1900-01-01', '2025-11-25', '2027-01-01', '', '__proto__'])(
    'to %s is -32022 with the served versions',
    (v) => {
      expect(() => picked('tools/list', meta(v))).toThrow(
        expect.objectContaining({ code: -32022, data: { supported: all, requested: v } }),
      );
      expect(() => picked('tools/list', meta(v), session('2025-11-25'))).toThrow(
        expect.objectContaining({ code: -32022 }),
      );
    },
  );

  test('that is long is shortened in the error', () => {
    expect(() => picked('tools/list', meta('x'.repeat(100_000)))).toThrow(
      expect.objectContaining({ data: { supported: all, requested: 'x'.repeat(64) } }),
    );
  });

  test.each([null, 5, {}, true])('that is %j is malformed', (version) => {
    expect(() => picked('tools/list', meta(version))).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test('in a malformed _meta is -32602 before it is -32022', () => {
    const params = { _meta: { [MetaKey.protocolVersion]: '1900-01-01' } };
    expect(() => picked('tools/list', params)).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test('to a revision that is not served is -32022', () => {
    expect(() => picked('tools/list', meta('2026-07-28'), undefined, ['2025-11-25'])).toThrow(
      expect.objectContaining({ code: -32022, data: { supported: ['2025-11-25'], requested: '2026-07-28' } }),
    );
  });

  test('is the version alone', () => {
    const other = { _meta: { [MetaKey.clientInfo]: { name: 'a', version: '1' }, progressToken: 1 } };
    expect(picked('tools/list', other, session('2025-03-26'))).toBe('2025-03-26');
    const inherited = { _meta: Object.create(meta('2026-07-28')._meta) as object };
    expect(picked('tools/list', inherited, session('2025-03-26'))).toBe('2025-03-26');
  });
});

describe('without a claim', () => {
  test.each(all.slice(1))('a request in a session of %s has its revision', (version) => {
    expect(picked('tools/list', {}, session(version))).toBe(version);
  });

  test('initialize and ping need no session, other requests do', () => {
    expect(picked('initialize', {})).toBe('2025-11-25');
    expect(picked('ping', {})).toBe('2025-11-25');
    expect(() => picked('tools/list', {})).toThrow(expect.objectContaining({ code: -32602, data: { supported: all } }));
  });

  test('initialize gets -32022 with the served versions if only stateless revisions are served', () => {
    const only = ['2026-07-28'];
    expect(() => picked('initialize', { protocolVersion: '2025-11-25' }, undefined, only)).toThrow(
      expect.objectContaining({ code: -32022, data: { supported: only, requested: '2025-11-25' } }),
    );
    expect(() => picked('initialize', {}, undefined, only)).toThrow(
      expect.objectContaining({ code: -32022, data: { supported: only } }),
    );
    expect(() => picked('ping', {}, undefined, only)).toThrow(expect.objectContaining({ code: -32601 }));
  });
});

test('every version has a revision', () => {
  expect(all.map((version) => revisionNamed(version).features.version)).toEqual(all);
});

test('revisionNamed throws for unknown versions', () => {
  for (const name of ['__proto__', '', '2024-10-07']) {
    expect(() => revisionNamed(name)).toThrow(expect.objectContaining({ code: -32603 }));
    expect(isServed(name, [name], 'stateful') || isServed(name, [name], 'stateless')).toBe(false);
  }
});
