import { McpServer, type McpServerOptions } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { open, REVISIONS } from '../../../test/wire.ts';

const users = ['1', '2', '3'];

const make = (options: McpServerOptions = {}): McpServer =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options })
    .registerResource('users://1', { name: 'First' }, () => 'x')
    .registerResourceTemplate(
      'users://{id}',
      { mimeType: 'text/plain', list: () => users.map((id) => ({ uri: `users://${id}`, description: id })) },
      ({ id }) => id,
    );

describe('a template with list', () => {
  test.each(REVISIONS)('adds to the list of resources, each URI once: %s', async (revision) => {
    const { result } = await (await open(make(), { revision })).call('resources/list');
    expect(result?.['resources']).toEqual([
      { uri: 'users://1', name: 'First' },
      { uri: 'users://2', name: 'users://2', mimeType: 'text/plain', description: '2' },
      { uri: 'users://3', name: 'users://3', mimeType: 'text/plain', description: '3' },
    ]);
    if (revision === '2026-07-28') expect(result).toMatchObject({ cacheScope: 'private' });
  });

  test('is listed in pages', async () => {
    const wire = await open(make({ limits: { pageSize: 2 } }));
    const first = (await wire.call('resources/list')).result as { resources: object[]; nextCursor: string };
    expect(first.resources).toHaveLength(2);
    const second = (await wire.call('resources/list', { cursor: first.nextCursor })).result;
    expect(second).toMatchObject({ resources: [{ uri: 'users://3' }] });
    expect(second).not.toHaveProperty('nextCursor');
  });

  test('calls list for each request, with the context; list can be asynchronous', async () => {
    const list = vi.fn(async (ctx: { revision: string }) => [{ uri: `rev:${ctx.revision}`, name: 'x' }]);
    const server = new McpServer({ name: 's', version: '1' }).registerResourceTemplate('rev:{v}', { list }, () => 'x');
    const wire = await open(server);
    for (let round = 0; round < 2; round++) {
      expect((await wire.call('resources/list')).result).toMatchObject({ resources: [{ uri: 'rev:2026-07-28' }] });
    }
    expect(list).toHaveBeenCalledTimes(2);
  });

  test('does not call list for callers that may not see the template', async () => {
    const list = vi.fn(() => [{ uri: 'x:1' }]);
    const server = new McpServer({ name: 's', version: '1' }).registerResourceTemplate(
      'x:{v}',
      { list, visible: () => false },
      () => 'x',
    );
    expect((await (await open(server)).call('resources/list')).result).toMatchObject({ resources: [] });
    expect(list).not.toHaveBeenCalled();
  });

  test('whose list throws or returns no resources gives an internal error, reported with the template', async () => {
    const onError = vi.fn();
    const server = new McpServer({ name: 's', version: '1' }, { onError }).registerResourceTemplate(
      'x:{v}',
      { list: () => ({ resources: [] }) as never },
      () => 'x',
    );
    expect((await (await open(server)).call('resources/list')).error?.code).toBe(-32603);
    expect(String(onError.mock.calls[0]?.[0])).toContain(
      'Resource template "x:{v}": list must return an array of objects with "uri"',
    );
    expect(onError.mock.calls[0]?.[1]).toMatchObject({ method: 'resources/list', name: 'x:{v}' });
  });

  test('needs a function', () => {
    expect(() => make().registerResourceTemplate('y:{v}', { list: [] as never }, () => 'x')).toThrow(
      'Resource template "y:{v}": list must be a function',
    );
  });
});
