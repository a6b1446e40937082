import { describe, expect, test, vi } from 'vitest';
import type { Tool } from '../protocol/model/tools.ts';
import { ToolBook, type ToolChange, type ToolPinningOptions } from './tool-book.ts';
import { toolDigest } from './tool-digest.ts';

const inputSchema = { type: 'object' };
const tool = (name: string, more: object = {}): Tool => ({ name, inputSchema, ...more });

/** A book, and what it warned of. */
function open(options: ToolPinningOptions = {}): { book: ToolBook; warnings: string[] } {
  const warnings: string[] = [];
  return { book: new ToolBook(options, ({ message }) => warnings.push(message)), warnings };
}

type Answer = () => ReturnType<NonNullable<ToolPinningOptions['onToolChanged']>>;

/** Answers every change in the same way, and keeps it. */
function watch(answer: Answer): { changes: ToolChange[]; onToolChanged: (change: ToolChange) => ReturnType<Answer> } {
  const changes: ToolChange[] = [];
  const onToolChanged = (change: ToolChange): ReturnType<Answer> => {
    changes.push(change);
    return answer();
  };
  return { changes, onToolChanged };
}

const before = tool('add', { description: 'Adds' });
const after = tool('add', { description: 'Adds, and tells somebody' });

describe('a tool seen', () => {
  test('for the first time is no change', async () => {
    const { changes, onToolChanged } = watch(() => false);
    const { book } = open({ onToolChanged });
    const page = [before, tool('other', { 'com.example/a': 1, _meta: { b: 2 } })];
    expect(await book.take(page)).toEqual(page);
    expect(book.get('add')).toBe(before);
    expect(book.get('nope')).toBeUndefined();
    expect(book.size).toBe(2);
    expect(changes).toEqual([]);
  });

  test('again is none, in whatever order its keys come and whatever rides along', async () => {
    const { changes, onToolChanged } = watch(() => false);
    const { book } = open({ onToolChanged });
    await book.take([before]);
    const turned = { description: 'Adds', inputSchema, name: 'add', _meta: { a: 1 }, icons: [{ src: 'data:,' }] };
    expect(await book.take([turned])).toEqual([turned]);
    expect(book.get('add')).toBe(turned);
    expect(changes).toEqual([]);
  });

  test('again costs no digest', async () => {
    const digest = vi.spyOn(crypto.subtle, 'digest');
    const { book } = open({ onToolChanged: () => true, pinnedTools: { other: '00' } });
    await book.take([before]);
    await book.take([{ ...before }]);
    expect(digest).not.toHaveBeenCalled();
    digest.mockRestore();
  });

  test('with another definition is told before it is used, with both and the digest', async () => {
    const { changes, onToolChanged } = watch(() => undefined);
    const { book } = open({ onToolChanged });
    await book.take([before]);
    expect(await book.take([after])).toEqual([after]);
    expect(changes).toEqual([{ name: 'add', before, after, digest: await toolDigest(after) }]);
    expect(book.get('add')).toBe(after);
    expect(book.isRefused('add')).toBe(false);
  });

  test('with another definition is used where nobody wants to know', async () => {
    const { book, warnings } = open();
    await book.take([before]);
    expect(await book.take([after])).toEqual([after]);
    expect(warnings).toEqual([]);
  });

  test('after its object was changed by whoever got it is still the same', async () => {
    const { changes, onToolChanged } = watch(() => true);
    const { book } = open({ onToolChanged });
    const mine = { name: 'add', inputSchema: { type: 'object' } as Record<string, unknown> };
    await book.take([mine]);
    mine.inputSchema['additionalProperties'] = false;
    await book.take([{ inputSchema, name: 'add' }]);
    await book.take([before]);
    expect(changes.map((change) => change.before)).toEqual([{ name: 'add', inputSchema: { type: 'object' } }]);
  });

  test('that went away and came back as another has changed', async () => {
    const { changes, onToolChanged } = watch(() => true);
    const { book } = open({ onToolChanged });
    await book.take([before]);
    await book.take([]);
    await book.take([after]);
    expect(changes).toHaveLength(1);
  });

  test('twice in one page with two definitions has changed', async () => {
    const { onToolChanged } = watch(() => false);
    const { book } = open({ onToolChanged });
    expect(await book.take([before, after])).toEqual([before]);
  });
});

describe('a change that is refused', () => {
  test('leaves the tool out, keeps the old definition, and is asked about each time it comes', async () => {
    let answer: boolean | undefined = false;
    const { changes, onToolChanged } = watch(() => answer);
    const { book } = open({ onToolChanged });
    await book.take([before]);
    const others = [tool('a'), tool('b')] as const;
    expect(await book.take([others[0], after, others[1]])).toEqual(others);
    expect([book.get('add'), book.isRefused('add'), book.isRefused('a')]).toEqual([before, true, false]);
    expect(await book.take([after])).toEqual([]);
    expect(changes.map((change) => change.before)).toEqual([before, before]);
    answer = undefined;
    expect(await book.take([after])).toEqual([after]);
    expect([book.get('add'), book.isRefused('add')]).toEqual([after, false]);
  });

  test('is over when the old definition is back', async () => {
    const { changes, onToolChanged } = watch(() => false);
    const { book } = open({ onToolChanged });
    await book.take([before]);
    await book.take([after]);
    expect(await book.take([before])).toEqual([before]);
    expect(book.isRefused('add')).toBe(false);
    expect(changes).toHaveLength(1);
  });

  const fail = (error: unknown): never => {
    throw error;
  };

  test.each<[string, Answer]>([
    ['throws', () => fail(new Error('No dialog'))],
    ['rejects', () => Promise.reject(new Error('No dialog'))],
  ])('is what it is when the handler %s, and the error is told', async (_, onToolChanged) => {
    const { book, warnings } = open({ onToolChanged });
    await book.take([before]);
    expect(await book.take([after])).toEqual([]);
    expect(book.isRefused('add')).toBe(true);
    expect(warnings).toEqual(['No dialog']);
  });

  test('is what it is when the handler throws something that is no error', async () => {
    const { book, warnings } = open({ onToolChanged: () => fail('no') });
    await book.take([before]);
    expect(await book.take([after])).toEqual([]);
    expect(warnings).toEqual(['onToolChanged failed']);
  });

  test('is not forgotten, however many tools there are', async () => {
    const { book } = open({ onToolChanged: () => false });
    await book.take([before]);
    await book.take([after]);
    await book.take(Array.from({ length: 10_001 }, (_, n) => tool(`t${n}`)));
    expect([book.isRefused('add'), book.get('add'), book.size]).toEqual([true, before, 10_000]);
  });
});

test('pages that come while a question is open wait for its answer, and do not ask it again', async () => {
  let accept: () => void = () => {};
  const answer = new Promise<boolean>((resolve) => {
    accept = () => resolve(true);
  });
  const { changes, onToolChanged } = watch(() => answer);
  const { book } = open({ onToolChanged });
  await book.take([before]);
  const pages = [book.take([after]), book.take([after])];
  accept();
  expect(await Promise.all(pages)).toEqual([[after], [after]]);
  expect(changes).toHaveLength(1);
});

describe('pins', () => {
  test('let pass what they pin, and tell what differs', async () => {
    const { changes, onToolChanged } = watch(() => false);
    const pinnedTools = { add: await toolDigest(before), other: await toolDigest(tool('other')) };
    const { book } = open({ pinnedTools, onToolChanged });
    expect(await book.take([after, tool('other'), tool('third')])).toEqual([tool('other'), tool('third')]);
    expect(changes).toEqual([{ name: 'add', before: undefined, after, digest: await toolDigest(after) }]);
    expect([book.get('add'), book.isRefused('add')]).toEqual([undefined, true]);
    expect(await book.take([before])).toEqual([before]);
    expect([book.get('add'), book.isRefused('add')]).toEqual([before, false]);
  });

  test('are what digests() gave, and survive being stored as JSON', async () => {
    const first = open().book;
    await first.take([before, tool('__proto__'), tool('constructor')]);
    const pinnedTools = JSON.parse(JSON.stringify(await first.digests()));
    expect(Object.keys(pinnedTools)).toEqual(['add', '__proto__', 'constructor']);
    const { changes, onToolChanged } = watch(() => true);
    const { book } = open({ pinnedTools, onToolChanged });
    await book.take([before, tool('__proto__', { description: 'x' }), tool('constructor')]);
    expect(changes.map(({ name }) => name)).toEqual(['__proto__']);
  });

  test('stay pinned while the tool is refused or not listed, so that the next connection asks as well', async () => {
    const pinnedTools = { add: await toolDigest(before), hidden: 'ab' };
    const { book } = open({ pinnedTools, onToolChanged: () => false });
    await book.take([after, tool('third')]);
    expect(await book.digests()).toEqual({ ...pinnedTools, third: await toolDigest(tool('third')) });
  });

  test('give way to what was accepted', async () => {
    const { book } = open({ pinnedTools: { add: await toolDigest(before) }, onToolChanged: () => true });
    await book.take([after]);
    expect(await book.digests()).toEqual({ add: await toolDigest(after) });
  });

  test('keep a tool that differs from being used if there is no onToolChanged, which is told', async () => {
    const { book, warnings } = open({ pinnedTools: { add: 'ab' } });
    expect(await book.take([before])).toEqual([]);
    expect([book.get('add'), book.isRefused('add')]).toEqual([undefined, true]);
    expect(warnings).toEqual([
      'Tool "add" is not the one that was pinned, and is left out: compare the definitions, ' +
        'then pin it again or return true from "onToolChanged"',
    ]);
  });

  test('keep a tool that differs from being used unless onToolChanged returns true', async () => {
    const { onToolChanged } = watch(() => undefined);
    const { book } = open({ pinnedTools: { add: await toolDigest(before) }, onToolChanged });
    expect(await book.take([after, tool('other')])).toEqual([tool('other')]);
    expect(await book.take([tool('other', { description: 'Not pinned' })])).toHaveLength(1);
  });

  test('hold for the view of a tool', async () => {
    const ui = { resourceUri: 'ui://shop/cart' };
    const shown = tool('add', { _meta: { ui, asked: 1 } });
    const { book } = open({ pinnedTools: { add: await toolDigest(shown) } });
    expect(await book.take([tool('add', { _meta: { ui, asked: 2 } })])).toHaveLength(1);
    expect(await book.take([tool('add', { _meta: { ui: { resourceUri: 'ui://evil/cart' } } })])).toEqual([]);
    expect(book.isRefused('add')).toBe(true);
  });
});

describe('a list', () => {
  test('is freed of what is no tool, with one warning', async () => {
    const { book, warnings } = open();
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const page = [null, before, { inputSchema }, { name: 'a' }, tool('b', { inputSchema: [] }), tool('c', { deep })];
    expect(await book.take(page as Tool[])).toEqual([before]);
    expect(warnings).toEqual([
      'Malformed tools are left out: /tools/0 must be an object; /tools/2 must have a "name" that is a string; ' +
        '/tools/3 must have an "inputSchema" that is an object; and 2 more',
    ]);
    expect(book.size).toBe(1);
  });

  test('may be long: beyond 10,000 tools new ones are left out, which is told once, and known ones stay', async () => {
    const { changes, onToolChanged } = watch(() => false);
    const { book, warnings } = open({ onToolChanged });
    await book.take([before]);
    const junk = Array.from({ length: 10_001 }, (_, n) => tool(`t${n}`));
    expect(await book.take(junk)).toEqual(junk.slice(0, 9_999));
    expect(await book.take([tool('new'), tool('t0'), before])).toEqual([tool('t0'), before]);
    expect(warnings).toEqual([
      'The server has listed more than 10000 tools: those that are new are left out, "t9999" first',
    ]);
    expect([book.get('t9998')?.name, book.get('t9999'), book.isRefused('t9999'), book.size]).toEqual([
      't9998',
      undefined,
      false,
      10_000,
    ]);
    expect(await book.take([after])).toEqual([]);
    expect(changes).toEqual([{ name: 'add', before, after, digest: await toolDigest(after) }]);
    const digests = await book.digests();
    expect([Object.keys(digests).length, digests['add'], digests['t9999']]).toEqual([
      10_000,
      await toolDigest(before),
      undefined,
    ]);
  });

  test('leaves out a tool whose definition has more than 1 MiB, and keeps the others', async () => {
    const { book, warnings } = open();
    const large = tool('large', { description: 'x'.repeat(1024 * 1024) });
    const fits = tool('fits', { description: 'x'.repeat(1024 * 1024 - 1000) });
    expect(await book.take([large, fits, before])).toEqual([fits, before]);
    expect(warnings).toEqual(['Malformed tools are left out: /tools/0 has a definition of more than 1048576 bytes']);
  });

  test('is remembered up to 64 MiB, and no tool can grow beyond that later', async () => {
    const { book, warnings } = open({ onToolChanged: () => true });
    const small = Array.from({ length: 100 }, (_, n) => tool(`t${n}`));
    await book.take(small);
    const grown = small.map((one) => ({ ...one, description: 'x'.repeat(1_000_000) }));
    const usable = await book.take(grown);
    expect(usable.length).toBeLessThan(34);
    expect(book.bytes).toBeLessThanOrEqual(64 * 1024 * 1024);
    expect(book.isRefused('t99')).toBe(true);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('The server has listed more than 67108864 bytes of tools');
  });

  test('may not hide a change of a pinned tool behind many others', async () => {
    const pinnedTools = { add: await toolDigest(before), sub: await toolDigest(tool('sub')) };
    const { book } = open({ pinnedTools, onToolChanged: () => false });
    await book.take(Array.from({ length: 10_001 }, (_, n) => tool(`t${n}`)));
    expect(await book.take([after, tool('sub'), tool('new')])).toEqual([tool('sub')]);
    expect([book.isRefused('add'), book.get('sub'), book.get('new')]).toEqual([true, tool('sub'), undefined]);
  });

  test('may have names that objects inherit', async () => {
    const { book } = open();
    expect(book.get('__proto__')).toBeUndefined();
    expect(book.isRepeatable('constructor')).toBe(false);
    await book.take([tool('__proto__', { annotations: { readOnlyHint: true } })]);
    expect([book.get('__proto__')?.name, book.isRepeatable('__proto__')]).toEqual(['__proto__', true]);
  });
});

test.each<[unknown, boolean]>([
  [{ readOnlyHint: true }, true],
  [{ idempotentHint: true }, true],
  [{ readOnlyHint: false, idempotentHint: true }, true],
  [{ destructiveHint: false }, false],
  [{ readOnlyHint: 'true' }, false],
  [undefined, false],
  [null, false],
  ['readOnlyHint', false],
])('a tool with the annotations %j may be called twice: %s', async (annotations, repeatable) => {
  const { book } = open();
  await book.take([tool('a', { annotations })]);
  expect(book.isRepeatable('a')).toBe(repeatable);
});

test('a tool that was refused may not be called twice', async () => {
  const { book } = open({ onToolChanged: () => false });
  await book.take([tool('a', { annotations: { readOnlyHint: true } })]);
  await book.take([tool('a', { annotations: { readOnlyHint: false } })]);
  expect(book.isRepeatable('a')).toBe(false);
});
