import { describe, expect, test, vi } from 'vitest';
import { ConnectionError, isMcpError, RpcError } from '../jsonrpc/errors.ts';
import { allItems, type FetchPage, IncompleteListError, itemsOf, type Page, pageOf } from './pages.ts';

interface Named {
  readonly name: string;
}

const named = (...names: string[]): Named[] => names.map((name) => ({ name }));

/** A server's pages by cursor; `start` is the page without one. */
function serving(pages: Readonly<Record<string, Page<Named>>>): FetchPage<Named> & { asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = [];
  const fetchPage = async (cursor: string | undefined): Promise<Page<Named>> => {
    asked.push(cursor);
    const page = pages[cursor === undefined ? 'start' : `after ${cursor}`];
    if (!page) throw RpcError.invalidParams('"cursor" is not valid for this list');
    return page;
  };
  return Object.assign(fetchPage, { asked });
}

async function caught(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail');
}

async function drain<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const threePages = {
  start: { items: named('a', 'b'), nextCursor: 'x' },
  'after x': { items: [], nextCursor: 'y' },
  'after y': { items: named('c'), nextCursor: undefined },
};

describe.each([
  ['one by one', <Item>(...args: Parameters<typeof itemsOf<Item>>) => drain(itemsOf(...args))],
  ['at once', <Item>(...args: Parameters<typeof allItems<Item>>) => allItems(...args)],
])('a list read %s', (_, read) => {
  test('has the items of all pages, in order, an empty page in the middle included', async () => {
    const server = serving(threePages);
    expect(await read('tools/list', server)).toEqual(named('a', 'b', 'c'));
    expect(server.asked).toEqual([undefined, 'x', 'y']);
  });

  test('follows the empty string like any other cursor', async () => {
    const server = serving({
      start: { items: named('a'), nextCursor: '' },
      'after ': { items: named('b'), nextCursor: undefined },
    });
    expect(await read('tools/list', server)).toEqual(named('a', 'b'));
    expect(server.asked).toEqual([undefined, '']);
  });

  test('stops when the server repeats a cursor, and says what was read', async () => {
    const server = serving({
      start: { items: named('a'), nextCursor: 'x' },
      'after x': { items: named('b'), nextCursor: 'y' },
      'after y': { items: named('c'), nextCursor: 'x' },
    });
    const error = await caught(read('tools/list', server));
    expect(error).toBeInstanceOf(IncompleteListError);
    expect(error).toMatchObject({ code: 'repeated-cursor', partial: named('a', 'b', 'c') });
    expect((error as Error).message).toBe(
      'tools/list could not be read to its end: the server repeats a cursor; items read: 3',
    );
    expect(isMcpError(error)).toBe(true);
    expect(server.asked).toEqual([undefined, 'x', 'y']);
  });

  test('stops after so many pages', async () => {
    const server = serving(threePages);
    const error = await caught(read('prompts/list', server, { maxPages: 2 }));
    expect(error).toMatchObject({ code: 'too-many-pages', partial: named('a', 'b') });
    expect((error as Error).message).toBe(
      'prompts/list could not be read to its end: there are more than 2 pages (option "maxPages"); items read: 2',
    );
    expect(server.asked).toEqual([undefined, 'x']);
  });

  test('of exactly so many pages is whole', async () => {
    expect(await read('tools/list', serving(threePages), { maxPages: 3 })).toEqual(named('a', 'b', 'c'));
  });

  test('stops after 1,000 pages if nothing else was said', async () => {
    let pages = 0;
    const endless = async (): Promise<Page<Named>> => ({ items: named(`t${++pages}`), nextCursor: String(pages) });
    expect(await caught(read('tools/list', endless))).toMatchObject({ code: 'too-many-pages' });
    expect(pages).toBe(1000);
  });

  test.each([1, 2])('stops after %d items, those of the page it is on included', async (maxItems) => {
    const server = serving(threePages);
    const error = await caught(read('prompts/list', server, { maxItems }));
    expect(error).toBeInstanceOf(IncompleteListError);
    expect(error).toMatchObject({ code: 'too-many-items', partial: named('a', 'b').slice(0, maxItems) });
    expect((error as Error).message).toBe(
      `prompts/list could not be read to its end: there are more than ${maxItems} items (option "maxItems"); items read: ${maxItems}`,
    );
  });

  test('stops after so many bytes, with the items up to there', async () => {
    const page = named('x'.repeat(400), 'y'.repeat(400), 'z'.repeat(400));
    const endless = async (cursor: string | undefined): Promise<Page<Named>> => ({
      items: page,
      nextCursor: `${cursor ?? ''}x`,
    });
    const error = await caught(read('tools/list', endless, { maxBytes: 2000 }));
    expect(error).toMatchObject({ code: 'too-many-bytes', partial: [...page, ...page.slice(0, 1)] });
    expect((error as Error).message).toBe(
      'tools/list could not be read to its end: there are more than 2000 bytes (option "maxBytes"); items read: 4',
    );
  });

  test('stops after 64 MiB if nothing else was said, cursors included', async () => {
    let pages = 0;
    const endless = async (): Promise<Page<Named>> => ({
      items: [],
      nextCursor: `${++pages}${'c'.repeat(10_000_000)}`,
    });
    expect(await caught(read('tools/list', endless))).toMatchObject({ code: 'too-many-bytes', partial: [] });
    expect(pages).toBe(8);
  });

  test('of exactly so many items is whole', async () => {
    expect(await read('tools/list', serving(threePages), { maxItems: 3 })).toEqual(named('a', 'b', 'c'));
  });

  test('stops after 100,000 items if nothing else was said', async () => {
    let pages = 0;
    const many = named(...Array(999).fill('t'));
    const endless = async (): Promise<Page<Named>> => ({ items: many, nextCursor: String(++pages) });
    const error = await caught(read('tools/list', endless));
    expect(error).toMatchObject({ code: 'too-many-items' });
    expect((error as Error).message).toContain(
      'there are more than 100000 items (option "maxItems"); items read: 100000',
    );
    expect(pages).toBe(101);
  });

  test.each([0, -1, Number.NaN])('is not read with a limit of %d', async (limit) => {
    const server = serving(threePages);
    await expect(read('tools/list', server, { maxPages: limit })).rejects.toThrow(
      new TypeError('"maxPages" must be a number of at least 1'),
    );
    await expect(read('tools/list', server, { maxItems: limit })).rejects.toThrow(
      new TypeError('"maxItems" must be a number of at least 1'),
    );
    expect(server.asked).toEqual([]);
  });

  test('fails as its pages fail', async () => {
    const error = new ConnectionError('timeout', 'tools/list timed out');
    const restart = vi.fn();
    expect(await caught(read('tools/list', () => Promise.reject(error), { restart }))).toBe(error);
    expect(restart).not.toHaveBeenCalled();
  });

  test('is not started again for a first page that is refused: it had no cursor', async () => {
    const server = serving({});
    const restart = vi.fn();
    await expect(read('tools/list', server, { restart })).rejects.toThrow(RpcError);
    expect(restart).not.toHaveBeenCalled();
    expect(server.asked).toEqual([undefined]);
  });
});

describe('what was read of a list without end', () => {
  let pages = 0;
  const endless = async (): Promise<Page<Named>> => {
    const items = named(...Array.from({ length: 700 }, (_, n) => `${pages}.${n}`));
    return { items, nextCursor: String(++pages) };
  };
  const partialOf = (error: unknown): readonly Named[] => (error as IncompleteListError<Named>).partial;

  test('is in the error, all of it, if it was asked for at once', async () => {
    pages = 0;
    const partial = partialOf(await caught(allItems('tools/list', endless, { maxItems: 20_000 })));
    expect([partial.length, partial.at(-1)]).toEqual([20_000, { name: '28.399' }]);
  });

  test('is in the error up to 10,000 items if it was handed out one by one, so that it need not be kept', async () => {
    pages = 0;
    const error = await caught(drain(itemsOf('tools/list', endless, { maxItems: 20_000 })));
    const partial = partialOf(error);
    expect([partial.length, partial[0], partial.at(-1)]).toEqual([10_000, { name: '0.0' }, { name: '14.199' }]);
    expect((error as Error).message).toContain('items read: 20000');
  });
});

describe('a cursor the server does not know any more', () => {
  const stale = { items: named('old'), nextCursor: 'gone' };

  test('starts the list again from its beginning', async () => {
    const pages: Record<string, Page<Named>> = { ...threePages, start: stale };
    const server = serving(pages);
    // The first page came out of a cache, whose owner now drops it.
    const restart = vi.fn(() => {
      pages['start'] = threePages.start;
    });
    expect(await allItems('tools/list', server, { restart })).toEqual(named('a', 'b', 'c'));
    expect(restart).toHaveBeenCalledTimes(1);
    expect(server.asked).toEqual([undefined, 'gone', undefined, 'x', 'y']);
  });

  test('starts it again only once', async () => {
    const server = serving({ start: stale });
    const restart = vi.fn();
    const error = await caught(allItems('tools/list', server, { restart }));
    expect(error).toMatchObject({ name: 'RpcError', code: -32602 });
    expect(server.asked).toEqual([undefined, 'gone', undefined, 'gone']);
    expect(restart).toHaveBeenCalledTimes(2);
  });

  test('ends a list whose items were handed out already, after its owner was told', async () => {
    const restart = vi.fn();
    const items = itemsOf('tools/list', serving({ start: stale }), { restart });
    expect(await items.next()).toEqual({ value: { name: 'old' }, done: false });
    await expect(items.next()).rejects.toMatchObject({ code: -32602 });
    expect(restart).toHaveBeenCalledTimes(1);
  });
});

test('a page is fetched when the one before it is used up, and none after the reader left', async () => {
  const server = serving(threePages);
  const items = itemsOf('tools/list', server);
  expect(server.asked).toEqual([]);
  await items.next();
  await items.next();
  expect(server.asked).toEqual([undefined]);
  await items.next();
  expect(server.asked).toEqual([undefined, 'x', 'y']);

  const left = serving(threePages);
  for await (const item of itemsOf('tools/list', left)) if (item.name === 'b') break;
  expect(left.asked).toEqual([undefined]);
});

describe('a page in a result', () => {
  test('is its items and its cursor', () => {
    expect(pageOf('tools/list', 'tools', { tools: [{ name: 'a' }], nextCursor: '' })).toEqual({
      items: [{ name: 'a' }],
      nextCursor: '',
    });
  });

  test.each([{ tools: [] }, { tools: [], nextCursor: null }])('is the last: %j', (result) => {
    expect(pageOf('tools/list', 'tools', result)).toEqual({ items: [], nextCursor: undefined });
  });

  test.each([
    [{}, '/tools must be an array'],
    [{ resources: [] }, '/tools must be an array'],
    [{ tools: { 0: {} } }, '/tools must be an array'],
    [{ tools: [{}, 'echo'] }, '/tools/1 must be an object'],
    [{ tools: [null] }, '/tools/0 must be an object'],
    [{ tools: [], nextCursor: 2 }, '/nextCursor must be a string'],
    [{ tools: [], nextCursor: false }, '/nextCursor must be a string'],
  ])('is not there: %j', (result, fault) => {
    const read = (): unknown => pageOf('tools/list', 'tools', result);
    expect(read).toThrow(ConnectionError);
    expect(read).toThrow(`The answer to tools/list is malformed: ${fault}`);
    expect(read).toThrow(expect.objectContaining({ code: 'malformed' }));
  });
});
