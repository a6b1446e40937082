/** `Mcp-Param-*`: arguments that a tool's input schema wants repeated as headers. */

import { connect } from 'mcpp/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Answers, closeAll, type RawServer, rawServer, stateful, stateless } from './raw-server.ts';

afterEach(closeAll);

const mark = (type: string, header: unknown): object => ({ type, 'x-mcp-header': header });
const tool = (name: string, properties: object): object => ({ name, inputSchema: { type: 'object', properties } });
const complete = (value: object): object => ({ resultType: 'complete', ...value });

const MARKED = tool('marked', {
  region: mark('string', 'Region'),
  count: mark('integer', 'Count'),
  dry: mark('boolean', 'Dry-Run'),
  nested: { type: 'object', properties: { city: mark('string', 'City') } },
  query: { type: 'string' },
});

const CALL: Answers = { 'tools/call': (visit) => visit.result(complete({ content: [] })) };
const listing = (tools: readonly object[]): Answers => ({
  'tools/list': (visit) => visit.result(complete({ tools })),
});
const paramsOf = (server: RawServer, at = -1): object => {
  const headers = Object.entries(server.to('tools/call').at(at)?.headers ?? {});
  return Object.fromEntries(headers.filter(([name]) => name.startsWith('mcp-param-')));
};

describe('arguments that are marked', () => {
  test('stand in headers, written so that HTTP can carry them', async () => {
    const server = await rawServer({ ...stateless, ...CALL, ...listing([MARKED]) });
    const mcp = await connect(server.url);
    await mcp.listTools();
    await mcp.callTool('marked', { region: 'us-west1', count: -42, dry: false, nested: { city: 'Köln' }, query: 'x' });
    expect(paramsOf(server)).toEqual({
      'mcp-param-region': 'us-west1',
      'mcp-param-count': '-42',
      'mcp-param-dry-run': 'false',
      'mcp-param-city': '=?base64?S8O2bG4=?=',
    });
    await mcp.callTool('marked', { region: '', count: null, nested: null });
    expect(paramsOf(server)).toEqual({ 'mcp-param-region': '=?base64??=' });
    await mcp.close();
  });

  test('are sent without headers as long as the tool was not listed', async () => {
    const server = await rawServer({ ...stateless, ...CALL, ...listing([MARKED]) });
    const mcp = await connect(server.url);
    await mcp.callTool('marked', { region: 'a' });
    expect(paramsOf(server)).toEqual({});
    expect(server.to('tools/list')).toEqual([]);
    await mcp.close();
  });

  test('are listed and sent once more if the server misses their headers', async () => {
    const server = await rawServer({
      ...stateless,
      ...listing([MARKED]),
      'tools/call': (visit) =>
        visit.headers['mcp-param-region'] === 'a'
          ? visit.result(complete({ content: [] }))
          : visit.error(-32020, undefined, 400),
    });
    const mcp = await connect(server.url);
    expect(await mcp.callTool('marked', { region: 'a' })).toMatchObject({ content: [] });
    expect(server.to('tools/list')).toHaveLength(1);
    expect(server.to('tools/call')).toHaveLength(2);
    // Once only: what is refused then is refused.
    await expect(mcp.callTool('marked', { region: 'b' })).rejects.toMatchObject({ code: -32020 });
    expect(server.to('tools/list')).toHaveLength(2);
    expect(server.to('tools/call')).toHaveLength(4);
    const step = await mcp.start('tools/call', { name: 'marked', arguments: { region: 'a' } });
    expect(step.done).toBe(true);
    await mcp.close();
  });

  test('follow the definition that was listed last', async () => {
    const lists = [[MARKED], [tool('marked', { region: mark('string', 'Area') })], [tool('marked', {})]];
    const server = await rawServer({
      ...stateless,
      ...CALL,
      'tools/list': (visit) => visit.result(complete({ tools: lists.shift() })),
    });
    const mcp = await connect(server.url, { headers: { 'x-mine': '1' } });
    for (const expected of [{ 'mcp-param-region': 'a' }, { 'mcp-param-area': 'a' }, {}]) {
      await mcp.listTools();
      await mcp.callTool('marked', { region: 'a' }, { headers: { 'x-own': '2' } });
      expect(paramsOf(server)).toEqual(expected);
      expect(server.to('tools/call').at(-1)?.headers).toMatchObject({ 'x-mine': '1', 'x-own': '2' });
    }
    await mcp.close();
  });

  test('are not mirrored in sessions, where the marks mean nothing', async () => {
    const bad = tool('bad', { region: mark('number', 'Region') });
    const server = await rawServer({
      ...stateful(),
      'tools/list': (visit) => visit.result({ tools: [MARKED, bad] }),
      'tools/call': (visit) => visit.result({ content: [] }),
    });
    const mcp = await connect(server.url);
    expect((await mcp.listTools()).tools).toHaveLength(2);
    await mcp.callTool('marked', { region: 'a' });
    await mcp.callTool('bad', { region: 1 });
    expect(paramsOf(server)).toEqual({});
    await mcp.close();
  });
});

describe('a tool whose marks break the rules', () => {
  const INVALID = [
    tool('empty', { a: mark('string', '') }),
    tool('number', { a: mark('number', 'A') }),
    tool('object', { a: mark('object', 'A') }),
    tool('twice', { a: mark('string', 'A'), b: mark('string', 'a') }),
    tool('space', { a: mark('string', 'A B') }),
    tool('split', { a: mark('string', 'A\r\nX: y') }),
    tool('items', { a: { type: 'array', items: mark('string', 'A') } }),
  ];

  test('is left out of lists with one warning, and is not called', async () => {
    const server = await rawServer({ ...stateless, ...CALL, ...listing([...INVALID, MARKED]) });
    const onError = vi.fn();
    const mcp = await connect(server.url, { onError });
    expect((await mcp.listTools()).tools.map(({ name }) => name)).toEqual(['marked']);
    const names: string[] = [];
    for await (const { name } of mcp.tools()) names.push(name);
    expect(names).toEqual(['marked']);
    expect(onError).toHaveBeenCalledTimes(INVALID.length);
    for (const [{ message }] of onError.mock.calls) {
      expect(message).toMatch(/^The inputSchema of tool "\w+" is invalid \(.*x-mcp-header.*\): it is left out$/);
    }
    await expect(mcp.callTool('number', { a: 1 })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('it is not called'),
    });
    expect(server.to('tools/call')).toEqual([]);
    await mcp.close();
  });

  test('can be called again when it is mended', async () => {
    const lists = [[tool('t', { a: mark('number', 'A') })], [tool('t', { a: mark('integer', 'A') })]];
    const server = await rawServer({
      ...stateless,
      ...CALL,
      'tools/list': (visit) => visit.result(complete({ tools: lists.shift() })),
    });
    const mcp = await connect(server.url);
    await mcp.listTools();
    await expect(mcp.callTool('t', { a: 1 })).rejects.toMatchObject({ code: 'refused' });
    await mcp.listTools();
    await mcp.callTool('t', { a: 1 });
    expect(paramsOf(server)).toEqual({ 'mcp-param-a': '1' });
    await mcp.close();
  });
});
