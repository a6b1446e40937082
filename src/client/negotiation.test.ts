import { ConnectionError, RpcError } from 'mcpp';
import { describe, expect, test } from 'vitest';
import { judgeDiscovery, judgeHandshake, judgeHttpDiscovery, namesStateless } from './negotiation.ts';

const discovered = (supportedVersions: unknown, capabilities: unknown = {}): unknown => ({
  supportedVersions,
  capabilities,
  resultType: 'complete',
});

const unsupported = (supported: unknown): RpcError => new RpcError(-32022, 'no', { supported, requested: 'x' });

describe('the answer to server/discover', () => {
  test('with a revision both know is the end of it', () => {
    const result = {
      ...(discovered(['2027-01-01', '2026-07-28', '2025-11-25'], { tools: {} }) as object),
      instructions: 'Be kind',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
    };
    expect(judgeDiscovery({ result })).toMatchObject({
      type: 'speak',
      revision: { features: { version: '2026-07-28' } },
      server: { capabilities: { tools: {} }, info: { name: 's', version: '1' }, instructions: 'Be kind' },
    });
  });

  test('with older revisions only leads to a session in the newest of them', () => {
    const result = discovered(['2025-03-26', '2025-06-18']);
    expect(judgeDiscovery({ result })).toMatchObject({ type: 'handshake', version: '2025-06-18' });
  });

  test('with revisions nobody here knows fails, and lists both sides', () => {
    const finding = judgeDiscovery({ result: discovered(['2030-01-01']) });
    expect(finding).toMatchObject({
      type: 'fail',
      error: {
        code: 'failed',
        message:
          'No common protocol revision: the server speaks 2030-01-01, ' +
          'this client 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05',
      },
    });
  });

  test.each([
    [5, 'Malformed reply to server/discover: "result" must be an object'],
    [{}, 'Malformed reply to server/discover: /result/supportedVersions must be an array of strings'],
    [
      discovered('2026-07-28'),
      'Malformed reply to server/discover: /result/supportedVersions must be an array of strings',
    ],
    [discovered([1]), 'Malformed reply to server/discover: /result/supportedVersions must be an array of strings'],
    [
      { ...(discovered(['2026-07-28']) as object), resultType: 'input_required' },
      'Malformed reply to server/discover: /result/resultType must be "complete"',
    ],
    [discovered(['2026-07-28'], null), 'Malformed reply to server/discover: /result/capabilities must be an object'],
  ])('that is malformed is reported as malformed, with the path: %j', (result, message) => {
    expect(judgeDiscovery({ result })).toMatchObject({ type: 'fail', error: { code: 'malformed', message } });
  });

  test.each([-32601, -32602, -32600, -32603, -32000, -32001, 0, 1, -32022])(
    'that is error %i is that of an older server',
    (code) => {
      expect(judgeDiscovery({ error: new RpcError(code, 'no') })).toEqual({ type: 'handshake', version: '2025-11-25' });
    },
  );

  test.each([-32020, -32021])(
    'that is error %i is that of a server of this revision, and no reason to fall back',
    (code) => {
      const error = new RpcError(code, 'no');
      expect(judgeDiscovery({ error })).toEqual({ type: 'fail', error });
    },
  );

  test('that names the revisions it supports is believed', () => {
    expect(judgeDiscovery({ error: unsupported(['2025-06-18', '2024-11-05']) })).toEqual({
      type: 'handshake',
      version: '2025-06-18',
      supported: ['2025-06-18', '2024-11-05'],
    });
    expect(judgeDiscovery({ error: unsupported(['2030-01-01']) })).toMatchObject({
      type: 'fail',
      error: { code: 'failed' },
    });
    // It supports what we asked for, and refuses it: perhaps it does not mean it.
    const contradiction = unsupported(['2026-07-28']);
    expect(judgeDiscovery({ error: contradiction })).toEqual({ type: 'ask again', error: contradiction });
  });

  test('that never comes because the server died means: start it again and open a session', () => {
    const error = new ConnectionError('closed', 'exit 1');
    expect(judgeDiscovery({ error })).toEqual({ type: 'redial', version: '2025-11-25', cause: error });
  });

  test('that cannot be read is no sign of an older server', () => {
    const error = new ConnectionError('malformed', 'Invalid response');
    expect(judgeDiscovery({ error })).toEqual({ type: 'fail', error });
  });
});

describe('the answer to server/discover over HTTP', () => {
  const OLD = { type: 'handshake', version: '2025-11-25' };
  const refused = (status: number, cause?: Error): ConnectionError =>
    new ConnectionError('http-error', 'no', { status, cause });

  test('means what it means elsewhere, if it is one', () => {
    const result = discovered(['2026-07-28']);
    expect(judgeHttpDiscovery({ result })).toEqual(judgeDiscovery({ result }));
    const lenient = { supportedVersions: ['2026-07-28'], capabilities: {} };
    expect(judgeHttpDiscovery({ result: lenient })).toMatchObject({ type: 'speak' });
    for (const error of [RpcError.methodNotFound('x'), new RpcError(-32020, 'no'), unsupported(['2026-07-28'])]) {
      expect(judgeHttpDiscovery({ error })).toEqual(judgeDiscovery({ error }));
    }
  });

  test('that says nothing at all is that of an older server', () => {
    expect(judgeHttpDiscovery({ result: {} })).toEqual(OLD);
    expect(judgeHttpDiscovery({ result: { tools: [] } })).toEqual(OLD);
    expect(judgeHttpDiscovery({ result: { resultType: 'complete' } })).toMatchObject({ type: 'fail' });
    expect(judgeHttpDiscovery({ result: { supportedVersions: 1 } })).toMatchObject({ type: 'fail' });
  });

  test.each([400, 404, 405, 406, 415, 422])('is refused with %i by an older server', (status) => {
    expect(judgeHttpDiscovery({ error: refused(status) })).toEqual(OLD);
  });

  test('with status 500 counts if it is an error of JSON-RPC', () => {
    expect(judgeHttpDiscovery({ error: refused(500, RpcError.methodNotFound('server/discover')) })).toEqual(OLD);
    expect(judgeHttpDiscovery({ error: refused(500, RpcError.internal()) })).toEqual(OLD);
    const error = new RpcError(-32020, 'no');
    expect(judgeHttpDiscovery({ error: refused(500, error) })).toEqual({ type: 'fail', error });
    const bare = refused(500);
    expect(judgeHttpDiscovery({ error: bare })).toEqual({ type: 'fail', error: bare });
  });

  test.each([302, 401, 403, 408, 429, 502, 503, 504])('is no evidence with status %i', (status) => {
    const error = refused(status, RpcError.methodNotFound('server/discover'));
    expect(judgeHttpDiscovery({ error })).toEqual({ type: 'fail', error });
  });

  test('is no evidence if it is none: a connection that fails, breaks or is silent', () => {
    const failures = [
      new ConnectionError('unreachable', 'no', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) }),
      new ConnectionError('unreachable', 'no', { cause: new TypeError('fetch failed', { cause: new Error('no') }) }),
      new ConnectionError('closed', 'no'),
      new ConnectionError('timeout', 'no'),
      new Error('no'),
    ];
    for (const error of failures) expect(judgeHttpDiscovery({ error })).toEqual({ type: 'fail', error });
  });

  test('that a browser keeps to itself may be that of an older server', () => {
    const error = new ConnectionError('unreachable', 'no', { cause: new TypeError('Failed to fetch') });
    expect(judgeHttpDiscovery({ error })).toEqual(OLD);
  });
});

describe('the answer to initialize over HTTP', () => {
  test.each([400, 404, 405])('with %i and nothing else may mean that messages are taken elsewhere', (status) => {
    const error = new ConnectionError('http-error', 'no', { status });
    expect(judgeHandshake({ error }, '2025-11-25', false)).toEqual({ type: 'old transport', error });
  });

  test.each([401, 403, 406, 500])('with %i does not', (status) => {
    const error = new ConnectionError('http-error', 'no', { status });
    expect(judgeHandshake({ error }, '2025-11-25', false)).toEqual({ type: 'fail', error });
  });
});

describe('the answer to initialize', () => {
  const answered = (protocolVersion: unknown, more: object = {}): { result: unknown } => ({
    result: { protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' }, ...more },
  });

  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('may counter-offer %s', (version) => {
    expect(judgeHandshake(answered(version), '2025-11-25', false)).toMatchObject({
      type: 'speak',
      revision: { features: { version } },
      server: { info: { name: 's' } },
    });
  });

  test.each(['1999-01-01', '2026-07-28', ''])('with revision "%s" fails', (version) => {
    expect(judgeHandshake(answered(version), '2025-11-25', false)).toMatchObject({
      type: 'fail',
      error: { code: 'failed', message: expect.stringContaining('No common protocol revision') },
    });
  });

  test('with another revision than the one that was insisted on fails', () => {
    expect(judgeHandshake(answered('2025-06-18'), '2025-11-25', true)).toMatchObject({ type: 'fail' });
  });

  test('that is malformed is reported with the path', () => {
    expect(judgeHandshake({ result: {} }, '2025-11-25', false)).toMatchObject({
      type: 'fail',
      error: { message: 'Malformed reply to initialize: /result/protocolVersion must be a string' },
    });
    expect(judgeHandshake(answered('2025-11-25', { capabilities: [] }), '2025-11-25', false)).toMatchObject({
      type: 'fail',
      error: { message: 'Malformed reply to initialize: /result/capabilities must be an object' },
    });
  });

  test('that is an error naming an older revision is tried again with it', () => {
    const error = new RpcError(-32602, 'Unsupported protocol version', { supported: ['2024-11-05'], requested: 'x' });
    expect(judgeHandshake({ error }, '2025-11-25', false)).toEqual({ type: 'handshake', version: '2024-11-05' });
    expect(judgeHandshake({ error }, '2025-11-25', true)).toMatchObject({ type: 'fail' });
  });

  test('that names a stateless revision is found to do so', () => {
    const { error } = judgeHandshake({ error: unsupported(['2026-07-28']) }, '2025-11-25', false) as { error: unknown };
    expect(namesStateless(error)).toBe(true);
    expect(namesStateless(new RpcError(-32601, 'no'))).toBe(false);
  });
});
