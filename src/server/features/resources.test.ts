import { McpServer, type McpServerOptions, resourceNotFound } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { open, REVISIONS, type Reply } from '../../../test/wire.ts';

const make = (options: McpServerOptions = {}): McpServer =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options });

const read = async (server: McpServer<unknown>, uri: unknown, revision = '2026-07-28'): Promise<Reply> =>
  (await open(server, { revision })).call('resources/read', { uri });

describe('what a handler returns', () => {
  test.each<[string, unknown, object[]]>([
    ['a string', 'hi', [{ uri: 'x:a', mimeType: 'text/plain', text: 'hi' }]],
    ['an empty string', '', [{ uri: 'x:a', mimeType: 'text/plain', text: '' }]],
    ['bytes', new Uint8Array([0, 255, 128]), [{ uri: 'x:a', mimeType: 'text/plain', blob: 'AP+A' }]],
    ['contents', { uri: 'x:b', text: 'b' }, [{ uri: 'x:b', text: 'b' }]],
    ['a blob', { uri: 'x:b', blob: 'AA==' }, [{ uri: 'x:b', blob: 'AA==' }]],
    [
      'several contents',
      [
        { uri: 'x:1', text: '1' },
        { uri: 'x:2', text: '2' },
      ],
      [
        { uri: 'x:1', text: '1' },
        { uri: 'x:2', text: '2' },
      ],
    ],
    ['a whole result', { contents: [{ uri: 'x:c', text: 'c' }] }, [{ uri: 'x:c', text: 'c' }]],
  ])('%s', async (_, value, contents) => {
    const server = make().registerResource('x:a', 'text/plain', async () => value as string);
    for (const revision of REVISIONS) expect((await read(server, 'x:a', revision)).result).toMatchObject({ contents });
  });

  test('a megabyte of bytes becomes a base64 blob', async () => {
    const bytes = new Uint8Array(1_000_000).map((_, at) => at % 251);
    const server = make().registerResource('x:a', { mimeType: 'application/octet-stream' }, () => bytes);
    const { contents } = (await read(server, 'x:a')).result as { contents: [{ blob: string }] };
    expect(Buffer.from(contents[0].blob, 'base64').equals(bytes)).toBe(true);
  });

  test.each<{ value: unknown }>([
    { value: 5 },
    { value: true },
    { value: {} },
    { value: [5] },
    { value: { contents: ['x'] } },
    { value: { contents: [{ uri: 'x:a' }] } },
  ])('$value is an error of the handler, reported with the URI', async ({ value }) => {
    for (const revision of REVISIONS) {
      const onError = vi.fn();
      const server = make({ onError })
        .registerResource('x:a', {}, () => value as never)
        .registerResourceTemplate('x:b/{c}', {}, () => value as never);
      for (const uri of ['x:a', 'x:b/c']) {
        onError.mockClear();
        const { error } = await read(server, uri, revision);
        expect(onError).toHaveBeenCalledTimes(1);
        const [, about] = onError.mock.calls[0] as [unknown, { reference: string }];
        expect(about).toMatchObject({ method: 'resources/read', name: uri });
        expect(error).toEqual({ code: -32603, message: `Internal error (reference ${about.reference})` });
      }
    }
  });

  test('data of other sources never becomes an input request', async () => {
    const fetched = { resultType: 'input_required', inputRequests: { x: { method: 'roots/list' } } };
    const server = make().registerResource('x:a', {}, () => fetched as never);
    expect((await read(server, 'x:a')).result?.['resultType']).not.toBe('input_required');
  });
});

describe('an unknown resource', () => {
  const server = make()
    .registerResource('x:none', {}, () => undefined)
    .registerResource('x:null', {}, async () => null)
    .registerResource('x:thrown', {}, () => {
      throw resourceNotFound('x:thrown');
    })
    .registerResource('x:hidden', { visible: () => false }, () => 'secret')
    .registerResourceTemplate('y://{id}', {}, () => undefined);

  test.each(REVISIONS)('gets the error code of the revision, with its URI: %s', async (revision) => {
    const code = revision === '2026-07-28' ? -32602 : -32002;
    for (const uri of ['x:none', 'x:null', 'x:thrown', 'x:hidden', 'x:nope', 'y://1', '', 'not a uri', '__proto__']) {
      expect((await read(server, uri, revision)).error).toEqual({
        code,
        message: `Resource not found: ${uri}`,
        data: { uri },
      });
    }
  });

  test.each(REVISIONS)('is never an internal error, for any URI: %s', async (revision) => {
    for (const uri of ['http://[::1', 'test://%00', '%zz', 'x:\ud800', `y://${'a/'.repeat(4000)}`]) {
      const { error } = await read(server, uri, revision);
      expect(error?.code).toBe(revision === '2026-07-28' ? -32602 : -32002);
      expect(JSON.stringify(error).length).toBeLessThan(2000);
    }
    for (const uri of [5, null, {}, [], undefined]) {
      expect((await read(server, uri, revision)).error?.code).toBe(-32602);
    }
  });
});

describe('a template', () => {
  test('passes its decoded variables and the URI to the handler', async () => {
    const seen: unknown[] = [];
    const server = make().registerResourceTemplate(
      'files://{folder}/{name}{?page}',
      'text/plain',
      (variables, _, uri) => {
        seen.push(variables, uri);
        return 'x';
      },
    );
    const uri = 'files://a%20b/c.txt?page=2';
    expect((await read(server, uri)).result?.['contents']).toEqual([{ uri, mimeType: 'text/plain', text: 'x' }]);
    expect(seen).toEqual([{ folder: 'a b', name: 'c.txt', page: '2' }, uri]);
  });

  test('is used after a resource with this URI, and in the order of registration', async () => {
    const server = make()
      .registerResourceTemplate('x://{id}', {}, ({ id }) => `first ${id}`)
      .registerResourceTemplate('x://{other}', {}, () => 'second')
      .registerResource('x://b', {}, () => 'itself');
    const text = async (uri: string): Promise<unknown> => (await read(server, uri)).result?.['contents'];
    expect(await text('x://a')).toMatchObject([{ text: 'first a' }]);
    expect(await text('x://b')).toMatchObject([{ text: 'itself' }]);
  });

  test('can have a variable with any name', async () => {
    const server = make().registerResourceTemplate('x://{__proto__}', {}, (variables) => JSON.stringify(variables));
    expect((await read(server, 'x://a')).result?.['contents']).toMatchObject([{ text: '{"__proto__":"a"}' }]);
  });

  test('is listed separately from resources', async () => {
    const server = make().registerResourceTemplate('x://{id}', { name: 'one', mimeType: 'text/plain' }, () => 'x');
    const wire = await open(server);
    expect((await wire.call('resources/list')).result).toMatchObject({ resources: [] });
    expect((await wire.call('resources/templates/list')).result).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'x://{id}', name: 'one', mimeType: 'text/plain' }],
    });
  });
});

describe('registration', () => {
  test.each(['', 'no scheme', '/path'])('refuses the URI %j', (uri) => {
    expect(() => make().registerResource(uri, {}, () => '')).toThrow(/^Resource ".*": the URI is not valid/);
  });

  test('refuses a registered URI, and an invalid template', () => {
    const server = make()
      .registerResource('x:a', {}, () => '')
      .registerResourceTemplate('x:{a}', {}, () => '');
    expect(() => server.registerResource('x:a', {}, () => '')).toThrow('Resource "x:a" is registered already');
    expect(() => server.registerResourceTemplate('x:{a}', {}, () => '')).toThrow(/x:\{a\}.*registered already/);
    expect(() => server.registerResourceTemplate('x:{a' as string, {}, () => '')).toThrow(TypeError);
    server.registerResource('x:a', { replace: true }, () => '');
  });

  test('refuses completers of unknown variables', () => {
    expect(() => make().registerResourceTemplate('x:{a}', { complete: { b: () => [] } }, () => '')).toThrow(/"b"/);
  });

  test('uses the URI as the name by default', async () => {
    const server = make()
      .registerResource('x:a', 'text/html', () => '')
      .registerResource('x:b', { name: 'B', size: 5, annotations: { priority: 1 } }, () => '');
    expect((await (await open(server)).call('resources/list')).result?.['resources']).toEqual([
      { uri: 'x:a', name: 'x:a', mimeType: 'text/html' },
      { uri: 'x:b', name: 'B', size: 5, annotations: { priority: 1 } },
    ]);
  });
});

test('caching hints of the resource override those of the server; restricted resources are private', async () => {
  const cache = { ttlMs: 1000, cacheScope: 'public' } as const;
  const server = make({ cache })
    .registerResource('x:a', {}, () => '')
    .registerResource('x:b', { cache: { ttlMs: 5 } }, () => '')
    .registerResource('x:c', { cache, visible: () => true }, () => '');
  expect((await read(server, 'x:a')).result).toMatchObject({ ttlMs: 1000, cacheScope: 'public' });
  expect((await read(server, 'x:b')).result).toMatchObject({ ttlMs: 5, cacheScope: 'public' });
  expect((await read(server, 'x:c')).result).toMatchObject({ ttlMs: 1000, cacheScope: 'private' });
});
