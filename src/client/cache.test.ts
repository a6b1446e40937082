import { describe, expect, test } from 'vitest';
import type { Change } from '../protocol/model/changes.ts';
import { ResponseCache, type ResponseCacheOptions } from './cache.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const good = (more: object = {}): Record<string, unknown> => ({
  resultType: 'complete',
  tools: [{ name: 'add', inputSchema: { type: 'object' } }],
  ttlMs: MINUTE,
  cacheScope: 'public',
  ...more,
});

/** A cache whose clock stands until it is told otherwise. */
function cacheAt(time: number, options: ResponseCacheOptions = {}): { cache: ResponseCache; clock: { now: number } } {
  const clock = { now: time };
  return { cache: new ResponseCache({ ...options, now: () => clock.now }), clock };
}

function keep(cache: ResponseCache, method: string, params?: object, result = good(), principal = 'ann'): void {
  cache.expect(method, params as never, principal)(result);
}

const listed = (cache: ResponseCache, params?: object, principal = 'ann'): unknown =>
  cache.get('tools/list', params as never, principal);

const read = (cache: ResponseCache, uri: string): unknown => cache.get('resources/read', { uri }, 'ann');

describe('how long a result is kept', () => {
  test('it is fresh until its time has passed since it came, and then it is gone', () => {
    const { cache, clock } = cacheAt(1000);
    const result = good();
    const arrive = cache.expect('tools/list', undefined, 'ann');
    clock.now = 5000; // The answer took four seconds.
    arrive(result);
    clock.now = 5000 + MINUTE - 1;
    expect(listed(cache)).toBe(result);
    clock.now = 5000 + MINUTE;
    expect(listed(cache)).toBeUndefined();
    clock.now = 5000; // A clock that is set back does not bring it back.
    expect(listed(cache)).toBeUndefined();
  });

  test('a clock that was set back makes it stale', () => {
    const { cache, clock } = cacheAt(DAY);
    keep(cache, 'tools/list');
    clock.now = DAY - 1;
    expect(listed(cache)).toBeUndefined();
  });

  test.each([0, -1, Number.NaN, '60000', null, undefined, {}])('ttlMs %j is not kept', (ttlMs) => {
    const { cache } = cacheAt(0);
    keep(cache, 'tools/list', undefined, good({ ttlMs }));
    expect(listed(cache)).toBeUndefined();
  });

  test.each([DAY + 1, Number.MAX_VALUE, Number.POSITIVE_INFINITY])('ttlMs %d is a day', (ttlMs) => {
    const { cache, clock } = cacheAt(0);
    keep(cache, 'tools/list', undefined, good({ ttlMs }));
    clock.now = DAY - 1;
    expect(listed(cache)).toBeDefined();
    clock.now = DAY;
    expect(listed(cache)).toBeUndefined();
  });
});

test('a newer result that may not be kept takes the older with it', () => {
  const { cache } = cacheAt(0);
  keep(cache, 'tools/list', undefined, good({ cacheScope: 'public' }), 'ann');
  keep(cache, 'tools/list', undefined, good({ ttlMs: 0 }), 'bob');
  expect(listed(cache, undefined, 'ann')).toBeUndefined();
});

describe('what is kept', () => {
  test.each([
    'server/discover',
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
  ])('%s is', (method) => {
    const { cache } = cacheAt(0);
    keep(cache, method);
    expect(cache.get(method, undefined, 'ann')).toEqual(good());
  });

  test.each(['tools/call', 'prompts/get', 'completion/complete', 'initialize', 'constructor'])(
    '%s is not',
    (method) => {
      const { cache } = cacheAt(0);
      keep(cache, method);
      expect(cache.get(method, undefined, 'ann')).toBeUndefined();
    },
  );

  test('a result with no resultType is complete, any other than that is not kept', () => {
    const { cache } = cacheAt(0);
    keep(cache, 'resources/read', { uri: 'a:1' }, { contents: [], ttlMs: MINUTE });
    keep(cache, 'resources/read', { uri: 'a:2' }, good({ resultType: 'input_required' }));
    keep(cache, 'resources/read', { uri: 'a:3' }, good({ resultType: null }));
    expect(['a:1', 'a:2', 'a:3'].map((uri) => read(cache, uri) !== undefined)).toEqual([true, false, false]);
  });

  test.each([{ inputResponses: {} }, { requestState: 'sealed' }, { inputResponses: {}, requestState: '' }])(
    'a request with %j is neither kept nor answered from what is kept',
    (round) => {
      const { cache } = cacheAt(0);
      keep(cache, 'resources/read', { uri: 'a:1', ...round });
      expect(read(cache, 'a:1')).toBeUndefined();
      keep(cache, 'resources/read', { uri: 'a:1' });
      expect(read(cache, 'a:1')).toBeDefined();
      expect(cache.get('resources/read', { uri: 'a:1', ...round }, 'ann')).toBeUndefined();
    },
  );
});

describe('what a kept result answers', () => {
  test('the same method and params, whatever their _meta and the order of their members', () => {
    const { cache } = cacheAt(0);
    keep(cache, 'tools/list', { cursor: 'x', filter: { a: 1, b: 2 }, _meta: { progressToken: 1 } });
    expect(listed(cache, { filter: { b: 2, a: 1 }, cursor: 'x', _meta: { progressToken: 2 } })).toBeDefined();
    expect(listed(cache, { filter: { b: 2, a: 1 }, cursor: 'x' })).toBeDefined();
  });

  test('no params are the same as empty ones', () => {
    const { cache } = cacheAt(0);
    keep(cache, 'tools/list', { _meta: {} });
    expect(listed(cache)).toBeDefined();
    expect(listed(cache, {})).toBeDefined();
    expect(listed(cache, { cursor: undefined })).toBeDefined();
  });

  test('not another cursor, nor another uri, nor another method', () => {
    const { cache } = cacheAt(0);
    keep(cache, 'tools/list', { cursor: 'x' });
    keep(cache, 'resources/read', { uri: 'a:1' });
    expect(listed(cache)).toBeUndefined();
    expect(listed(cache, { cursor: '' })).toBeUndefined();
    expect(listed(cache, { cursor: 'y' })).toBeUndefined();
    expect(cache.get('prompts/list', { cursor: 'x' }, 'ann')).toBeUndefined();
    expect(read(cache, 'a:2')).toBeUndefined();
  });

  test('everybody, if it is public', () => {
    const { cache } = cacheAt(0);
    const result = good({ cacheScope: 'public' });
    keep(cache, 'tools/list', undefined, result, 'ann');
    expect(listed(cache, undefined, 'bob')).toBe(result);
    expect(listed(cache, undefined, '')).toBe(result);
  });

  test.each(['private', undefined, 'PUBLIC', true])('only its own principal, if cacheScope is %j', (cacheScope) => {
    const { cache } = cacheAt(0);
    const result = good({ cacheScope });
    keep(cache, 'tools/list', undefined, result, 'ann');
    expect(listed(cache, undefined, 'ann')).toBe(result);
    expect(listed(cache, undefined, 'bob')).toBeUndefined();
    expect(listed(cache, undefined, '')).toBeUndefined();
  });

  test('nobody else any more, once the server says that it is private', () => {
    const { cache } = cacheAt(0);
    keep(cache, 'tools/list', undefined, good({ cacheScope: 'public' }), 'ann');
    keep(cache, 'tools/list', undefined, good({ cacheScope: 'private' }), 'bob');
    expect(listed(cache, undefined, 'ann')).toBeUndefined();
    expect(listed(cache, undefined, 'bob')).toBeDefined();
  });

  test('the newest wins over an older private one', () => {
    const { cache } = cacheAt(0);
    keep(cache, 'tools/list', undefined, good({ cacheScope: 'private' }), 'ann');
    const newest = good({ cacheScope: 'public' });
    keep(cache, 'tools/list', undefined, newest, 'ann');
    expect(listed(cache, undefined, 'ann')).toBe(newest);
  });

  test('cannot be changed by those who get it', () => {
    const { cache } = cacheAt(0);
    keep(cache, 'tools/list');
    const { tools } = listed(cache) as { tools: { name: string; inputSchema: { type: string } }[] };
    expect(() => tools.push({ name: 'evil', inputSchema: { type: 'object' } })).toThrow(TypeError);
    expect(() => {
      (tools[0] as { name: string }).name = 'evil';
    }).toThrow(TypeError);
    expect(() => {
      (tools[0] as { inputSchema: { type: string } }).inputSchema.type = 'array';
    }).toThrow(TypeError);
    expect(listed(cache)).toEqual(good());
  });
});

describe('what a change makes stale', () => {
  const methods = [
    'server/discover',
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
  ];

  test.each<[Change, string[]]>([
    [{ type: 'tools' }, ['tools/list']],
    [{ type: 'prompts' }, ['prompts/list']],
    [{ type: 'resources' }, ['resources/list', 'resources/templates/list']],
    [{ type: 'resource', uri: 'file:///a' }, ['resources/read']],
  ])('%j', (change, stale) => {
    const { cache } = cacheAt(0);
    const params = { uri: 'file:///a', cursor: 'x' };
    for (const method of methods) keep(cache, method, params);
    cache.invalidate(change);
    expect(methods.filter((method) => !cache.get(method, params, 'ann'))).toEqual(stale);
  });

  test('of all pages, and for every principal', () => {
    const { cache } = cacheAt(0);
    keep(cache, 'tools/list', { cursor: 'x' }, good({ cacheScope: 'private' }), 'ann');
    keep(cache, 'tools/list', {}, good({ cacheScope: 'private' }), 'bob');
    cache.invalidate({ type: 'tools' });
    expect(listed(cache, { cursor: 'x' }, 'ann')).toBeUndefined();
    expect(listed(cache, {}, 'bob')).toBeUndefined();
  });

  test('a resource, what is in it, and what it is in', () => {
    const { cache } = cacheAt(0);
    const uris = ['file:///a', 'file:///a/b', 'file:///a/b/c', 'file:///a/bc', 'file:///z'];
    for (const uri of uris) keep(cache, 'resources/read', { uri });
    cache.invalidate({ type: 'resource', uri: 'file:///a/b' });
    expect(uris.filter((uri) => read(cache, uri))).toEqual(['file:///a/bc', 'file:///z']);
  });

  test('also what is on its way: it may be from before', () => {
    const { cache } = cacheAt(0);
    const arrive = cache.expect('tools/list', undefined, 'ann');
    const other = cache.expect('prompts/list', undefined, 'ann');
    cache.invalidate({ type: 'tools' });
    arrive(good());
    other(good());
    expect(listed(cache)).toBeUndefined();
    expect(cache.get('prompts/list', undefined, 'ann')).toBeDefined();
    // What is asked for afterwards is from afterwards.
    keep(cache, 'tools/list');
    expect(listed(cache)).toBeDefined();
  });

  test('a resource that was being read when one changed', () => {
    const { cache } = cacheAt(0);
    const arrive = cache.expect('resources/read', { uri: 'a:1' }, 'ann');
    cache.invalidate({ type: 'resource', uri: 'a:1' });
    arrive(good());
    expect(read(cache, 'a:1')).toBeUndefined();
  });
});

test('a list can be forgotten, with its pages that are on their way', () => {
  const { cache } = cacheAt(0);
  keep(cache, 'tools/list');
  keep(cache, 'tools/list', { cursor: 'x' });
  keep(cache, 'prompts/list');
  const arrive = cache.expect('tools/list', { cursor: 'y' }, 'ann');
  cache.forget('tools/list');
  arrive(good());
  expect([{}, { cursor: 'x' }, { cursor: 'y' }].filter((params) => listed(cache, params))).toEqual([]);
  expect(cache.get('prompts/list', undefined, 'ann')).toBeDefined();
});

test('clear forgets everything, also what is on its way', () => {
  const { cache } = cacheAt(0);
  keep(cache, 'tools/list');
  keep(cache, 'resources/read', { uri: 'a:1' });
  const arrive = cache.expect('server/discover', undefined, 'ann');
  cache.clear();
  arrive(good());
  expect([listed(cache), read(cache, 'a:1'), cache.get('server/discover', undefined, 'ann')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

describe('when there is too much', () => {
  const uris = ['a:1', 'a:2', 'a:3', 'a:4'];

  test('what was not used for longest goes', () => {
    const { cache } = cacheAt(0, { maxEntries: 3 });
    for (const uri of uris.slice(0, 3)) keep(cache, 'resources/read', { uri });
    read(cache, 'a:1');
    keep(cache, 'resources/read', { uri: 'a:4' });
    expect(uris.filter((uri) => read(cache, uri))).toEqual(['a:1', 'a:3', 'a:4']);
  });

  test('500 results are kept if nothing else was said', () => {
    const { cache } = cacheAt(0);
    for (let i = 0; i <= 500; i++) keep(cache, 'resources/read', { uri: `a:${i}` });
    expect([read(cache, 'a:0'), read(cache, 'a:1'), read(cache, 'a:500')].map(Boolean)).toEqual([false, true, true]);
  });

  test('large results push out others, and one that is too large alone is not kept', () => {
    const { cache } = cacheAt(0, { maxSize: 3000 });
    const text = (length: number): Record<string, unknown> => ({ contents: [{ text: 'x'.repeat(length) }], ttlMs: 1 });
    keep(cache, 'resources/read', { uri: 'a:1' }, text(1000));
    keep(cache, 'resources/read', { uri: 'a:2' }, text(1000));
    keep(cache, 'resources/read', { uri: 'a:3' }, text(3001));
    expect(uris.filter((uri) => read(cache, uri))).toEqual(['a:1', 'a:2']);
    keep(cache, 'resources/read', { uri: 'a:4' }, text(1000));
    expect(uris.filter((uri) => read(cache, uri))).toEqual(['a:2', 'a:4']);
  });

  test('what something else takes is not there for results', () => {
    let reserved = 0;
    const { cache } = cacheAt(0, { maxSize: 3000, reserved: () => reserved });
    const text = (): Record<string, unknown> => ({ contents: [{ text: 'x'.repeat(1000) }], ttlMs: 1 });
    keep(cache, 'resources/read', { uri: 'a:1' }, text());
    reserved = 1500;
    keep(cache, 'resources/read', { uri: 'a:2' }, text());
    expect(uris.filter((uri) => read(cache, uri))).toEqual(['a:2']);
    reserved = 2500;
    keep(cache, 'resources/read', { uri: 'a:3' }, text());
    expect(read(cache, 'a:3')).toBeUndefined();
  });

  test('what has left makes room again, however it left', () => {
    const { cache, clock } = cacheAt(0, { maxSize: 1500 });
    const text = (): Record<string, unknown> => ({ contents: [{ text: 'x'.repeat(1000) }], ttlMs: 10 });
    const leave: (() => void)[] = [
      () => cache.clear(),
      () => cache.forget('resources/read'),
      () => cache.invalidate({ type: 'resource', uri: 'a:1' }),
      () => keep(cache, 'resources/read', { uri: 'a:1' }, text()),
      () => {
        clock.now += 10;
        read(cache, 'a:1');
      },
    ];
    for (const go of leave) {
      keep(cache, 'resources/read', { uri: 'a:1' }, text());
      go();
      keep(cache, 'resources/read', { uri: 'a:1' }, text());
      expect(read(cache, 'a:1')).toBeDefined();
    }
  });
});

test('the clock is the wall clock unless another is given', () => {
  const cache = new ResponseCache();
  keep(cache, 'tools/list', undefined, good({ ttlMs: DAY }));
  expect(listed(cache)).toBeDefined();
});
