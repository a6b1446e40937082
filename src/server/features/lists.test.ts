import { McpServer, type McpServerOptions, type Viewer } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { open, REVISIONS, type Wire } from '../../../test/wire.ts';

const make = (options: McpServerOptions = {}): McpServer =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options });

const withTools = (count: number, options: McpServerOptions = {}): McpServer => {
  const server = make(options);
  for (let i = 0; i < count; i++) server.registerTool(`t${i}`, {}, () => '');
  return server;
};

async function page(wire: Wire, cursor?: unknown): Promise<{ names: string[]; nextCursor: string | undefined }> {
  const { result } = await wire.call('tools/list', cursor === undefined ? {} : { cursor });
  const { tools, nextCursor } = result as { tools: { name: string }[]; nextCursor?: string };
  return { names: tools.map((tool) => tool.name), nextCursor };
}

async function allPages(wire: Wire): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const { names, nextCursor } = await page(wire, cursor);
    pages.push(names);
    if (nextCursor === undefined) return pages;
    cursor = nextCursor;
  }
}

const badCursor = { code: -32602, message: '"cursor" is not valid for this list; start again without one' };

describe('pages', () => {
  test.each(REVISIONS)('hold every entry once, in the order of registration: %s', async (revision) => {
    const wire = await open(withTools(7, { limits: { pageSize: 3 } }), { revision });
    expect(await allPages(wire)).toEqual([['t0', 't1', 't2'], ['t3', 't4', 't5'], ['t6']]);
  });

  test('that are exactly full have no nextCursor', async () => {
    const wire = await open(withTools(6, { limits: { pageSize: 3 } }));
    expect(await allPages(wire)).toEqual([
      ['t0', 't1', 't2'],
      ['t3', 't4', 't5'],
    ]);
  });

  test('hold 1000 entries by default', async () => {
    const wire = await open(withTools(1001));
    expect((await allPages(wire)).map((names) => names.length)).toEqual([1000, 1]);
  });

  test('are the same on another node', async () => {
    const first = await page(await open(withTools(4, { limits: { pageSize: 2 } })));
    const other = await open(withTools(4, { limits: { pageSize: 2 } }));
    expect((await page(other, first.nextCursor)).names).toEqual(['t2', 't3']);
  });

  test('continue at the same entry although others were removed and added', async () => {
    const server = withTools(6, { limits: { pageSize: 2 } });
    const wire = await open(server);
    const { nextCursor } = await page(wire);
    server.tools.remove('t0');
    server.tools.remove('t3');
    server.registerTool('new', {}, () => '');
    expect((await page(wire, nextCursor)).names).toEqual(['t2', 't4']);
  });

  test('whose last entry was removed start again', async () => {
    const server = withTools(6, { limits: { pageSize: 2 } });
    const wire = await open(server);
    const { nextCursor } = await page(wire);
    server.tools.remove('t1');
    expect((await wire.call('tools/list', { cursor: nextCursor })).error).toEqual(badCursor);
  });

  test('continue after resources with long non-ASCII URIs', async () => {
    const server = make({ limits: { pageSize: 1 } });
    for (const name of ['a', 'b']) server.registerResource(`x:${'世'.repeat(8000)}${name}`, { name }, () => '');
    const wire = await open(server);
    const { nextCursor } = (await wire.call('resources/list')).result as { nextCursor: string };
    expect(nextCursor.length).toBeLessThan(4096);
    expect((await wire.call('resources/list', { cursor: nextCursor })).result).toMatchObject({
      resources: [{ name: 'b' }],
    });
  });
});

describe('a cursor', () => {
  test.each<unknown>(['garbage', '!!!', 'WyJ0b29scyJd', 5, null, {}, [], true, btoa('["tools","__proto__"]')])(
    '%j is -32602',
    async (cursor) => {
      for (const revision of REVISIONS) {
        const wire = await open(withTools(3), { revision });
        expect((await wire.call('tools/list', { cursor })).error).toEqual(badCursor);
      }
    },
  );

  test('that is an empty string gives the first page', async () => {
    for (const pageSize of [2, 1000]) {
      const wire = await open(withTools(3, { limits: { pageSize } }));
      expect(await page(wire, '')).toEqual(await page(wire));
    }
  });

  test('of another list is -32602', async () => {
    const server = withTools(3, { limits: { pageSize: 1 } });
    server.registerPrompt('t0', {}, () => '');
    server.registerPrompt('t1', {}, () => '');
    const wire = await open(server);
    const { nextCursor } = await page(wire);
    expect((await wire.call('prompts/list', { cursor: nextCursor })).error).toEqual(badCursor);
  });

  test('of a hidden entry is -32602, like that of an unknown entry', async () => {
    const server = withTools(2, { limits: { pageSize: 1 } });
    server.registerTool('secret', { visible: ({ principal }) => principal?.subject === 'root' }, () => '');
    server.registerTool('last', {}, () => '');
    const root = await open(server, { principal: { subject: 'root' } });
    const second = await page(root, (await page(root)).nextCursor);
    const third = await page(root, second.nextCursor);
    expect(third.names).toEqual(['secret']);
    const wire = await open(server);
    expect((await wire.call('tools/list', { cursor: third.nextCursor })).error).toEqual(badCursor);
  });
});

describe('visibility', () => {
  const only = (subject: string) => (viewer: Viewer) => viewer.principal?.subject === subject;
  const server = make({ cache: { ttlMs: 1000, cacheScope: 'public' } })
    .registerTool('all', {}, () => 'all')
    .registerTool('alice', { visible: only('alice') }, () => 'alice')
    .registerTool('forms', { visible: ({ capabilities }) => capabilities.elicitation !== undefined }, () => 'forms')
    .registerTool('truthy', { visible: () => 1 as unknown as boolean }, () => 'truthy');

  test.each(REVISIONS)('hides an entry from the list, and makes it unknown when it is used: %s', async (revision) => {
    const alice = await open(server, { revision, principal: { subject: 'alice' } });
    const bob = await open(server, { revision, principal: { subject: 'bob' }, capabilities: { elicitation: {} } });
    expect((await page(alice)).names).toEqual(['all', 'alice']);
    expect((await page(bob)).names).toEqual(['all', 'forms']);
    expect((await page(alice)).names).toEqual(['all', 'alice']);
    expect((await alice.call('tools/call', { name: 'alice' })).result).toBeDefined();
    const hidden = (await bob.call('tools/call', { name: 'alice' })).error;
    const unknown = (await bob.call('tools/call', { name: 'nobody' })).error;
    expect(hidden).toEqual({ ...unknown, message: 'Unknown tool: alice' });
  });

  test('makes the list private in spite of the option cache', async () => {
    const wire = await open(server);
    expect((await wire.call('tools/list')).result).toMatchObject({ ttlMs: 1000, cacheScope: 'private' });
    const withMiddleware = make({ cache: { cacheScope: 'public' } })
      .use((_, next) => next())
      .registerTool('a', { visible: () => true }, () => '');
    expect((await (await open(withMiddleware)).call('tools/list')).result).toMatchObject({ cacheScope: 'private' });
  });

  test('that throws hides the entry from this viewer, and is reported', async () => {
    const onError = vi.fn();
    const broken = new McpServer({ name: 's', version: '1' }, { onError })
      .registerTool('t', { visible: ({ principal }) => principal?.claims?.['x'] === JSON.parse('x') }, () => 'x')
      .registerTool('other', {}, () => 'y');
    const wire = await open(broken);
    expect((await wire.call('tools/list')).result?.['tools']).toMatchObject([{ name: 'other' }]);
    expect((await wire.call('tools/call', { name: 't' })).error).toEqual({ code: -32602, message: 'Unknown tool: t' });
    expect(onError).toHaveBeenCalledWith(expect.any(SyntaxError), { method: 'visible' });
  });

  test('that throws for one client does not affect notifications of others', async () => {
    const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} }).registerResource(
      'x:/a',
      { visible: ({ capabilities }) => (capabilities.experimental ? JSON.parse('x') : true) },
      () => '',
    );
    const bad = await open(server, { revision: '2025-11-25', capabilities: { experimental: { a: {} } } });
    const good = await open(server, { revision: '2025-11-25' });
    for (const wire of [bad, good]) await wire.call('resources/subscribe', { uri: 'x:/a' });
    server.resourceUpdated('x:/a');
    await good.until(({ method }) => method === 'notifications/resources/updated');
    expect(bad.notices('notifications/resources/updated')).toEqual([]);
    expect(good.notices('notifications/resources/updated')).toHaveLength(1);
  });

  test('applies to notifications/resources/updated, too', async () => {
    const hidden = make().registerResource('x:/secret/a', { visible: only('alice') }, () => '');
    const bob = await open(hidden, { revision: '2025-11-25', principal: { subject: 'bob' } });
    await bob.call('resources/subscribe', { uri: 'x:/secret' });
    hidden.resourceUpdated('x:/secret/a');
    await bob.call('ping');
    expect(bob.notices('notifications/resources/updated')).toEqual([]);
  });
});

describe('caching hints', () => {
  test.each(['server/discover', 'tools/list'])(
    'are stale and private unless somebody says otherwise: %s',
    async (m) => {
      const bare = await open(withTools(1));
      expect((await bare.call(m)).result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
      const kept = await open(withTools(1, { cache: { ttlMs: 5000, cacheScope: 'public' } }));
      expect((await kept.call(m)).result).toMatchObject({ ttlMs: 5000, cacheScope: 'public' });
    },
  );

  test('are not part of other results', async () => {
    const result = (await (await open(withTools(1))).call('tools/call', { name: 't0' })).result ?? {};
    expect(Object.keys(result).sort()).toEqual(['_meta', 'content', 'resultType']);
  });
});

describe('an encoded list', () => {
  test('has the same bytes until something changes', async () => {
    const server = withTools(20);
    for (const revision of REVISIONS) {
      const texts = new Set<string>();
      for (let i = 0; i < 3; i++) {
        const wire = await open(server, { revision });
        await wire.call('tools/list', {}, 1);
        texts.add(wire.lines.at(-1) ?? '');
      }
      expect(texts.size).toBe(1);
    }
    const wire = await open(server);
    const before = await page(wire);
    server.tools.disable('t3');
    expect((await page(wire)).names).toEqual(before.names.filter((name) => name !== 't3'));
    server.tools.enable('t3');
    expect(await page(wire)).toEqual(before);
    server.registerTool('t3', { replace: true, description: 'new' }, () => '');
    const tools = (await wire.call('tools/list')).result?.['tools'] as object[];
    expect(tools[3]).toMatchObject({ name: 't3', description: 'new' });
    server.tools.remove('t3');
    server.registerTool('t3', {}, () => '');
    expect((await page(wire)).names.at(-1)).toBe('t3');
  });
});
