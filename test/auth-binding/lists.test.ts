/** What one caller may see of a list is told to no other, however it is asked for. */

import { McpServer } from 'mcpp/server';
import { afterEach, describe, expect, test } from 'vitest';
import { nextMessage } from '../http/events.ts';
import { FACES, openSession, post, type Reached } from '../http/faces.ts';
import { type Headers, stateless, statelessHeaders } from '../http/messages.ts';
import { as, auth, OTHERS } from './people.ts';

const isAlice = ({ principal }: { principal?: { issuer?: string; subject: string; clientId?: string } | undefined }) =>
  principal?.subject === 'alice' && principal.issuer === 'https://as.example.com' && principal.clientId === 'app';

function make(pageSize: number): McpServer {
  const cache = { ttlMs: 60_000, cacheScope: 'public' } as const;
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {}, cache, limits: { pageSize } });
  server
    .registerTool('first', {}, () => '')
    .registerTool('secret', { visible: isAlice }, () => '')
    .registerTool('last', {}, () => '')
    .registerResource('x://secret', { visible: isAlice }, () => 'hers');
  return server;
}

interface Page {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
  readonly cacheScope?: string;
}

describe.each(FACES)('through $name', ({ open }) => {
  let reached: Reached;
  afterEach(() => reached.close());

  async function answer(token: string, method: string, params: Record<string, unknown> = {}) {
    const message = stateless(1, method, params);
    const response = await post(reached, message, { ...statelessHeaders(message), ...as(token) });
    return (await response.json()) as { result?: Page; error?: object };
  }
  const names = (page: Page | undefined): unknown => page?.tools.map(({ name }) => name);

  test.each(OTHERS)(
    '%s is shown another list than Alice, before and after her, and no cache may share it',
    async (token) => {
      reached = await open(make(100), { auth });
      for (const who of [token, 'alice', token, 'alice-refreshed', token]) {
        const { result } = await answer(who, 'tools/list');
        const isHers = who.startsWith('alice') && who !== token;
        expect([who, names(result)]).toEqual([who, isHers ? ['first', 'secret', 'last'] : ['first', 'last']]);
        expect(result?.cacheScope).toBe('private');
      }
    },
  );

  test.each(OTHERS)('%s has no use for the cursor of a page that ends with what it may not see', async (token) => {
    reached = await open(make(2), { auth });
    const { result } = await answer('alice', 'tools/list');
    const cursor = result?.nextCursor;
    expect([names(result), cursor]).toEqual([['first', 'secret'], expect.any(String)]);
    const { error } = await answer(token, 'tools/list', { cursor });
    expect(error).toEqual((await answer(token, 'tools/list', { cursor: 'made-up' })).error);
    expect(error).toMatchObject({ code: -32602 });
    expect(names((await answer('alice-refreshed', 'tools/list', { cursor })).result)).toEqual(['last']);
  });

  test.each(OTHERS)('%s in a session is shown its own list, too', async (token) => {
    reached = await open(make(100), { auth });
    const listIn = async (session: Headers): Promise<unknown> => {
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      return names(((await (await post(reached, list, session)).json()) as { result: Page }).result);
    };
    const hers = await openSession(reached, { headers: as('alice') });
    const theirs = await openSession(reached, { headers: as(token) });
    expect(await listIn(hers)).toEqual(['first', 'secret', 'last']);
    expect(await listIn(theirs)).toEqual(['first', 'last']);
    expect(await listIn(hers)).toEqual(['first', 'secret', 'last']);
  });

  test.each(OTHERS)('%s cannot read what is hers, nor hear of it', async (token) => {
    const server = make(100);
    reached = await open(server, { auth });
    const read = async (who: string, uri: string) => answer(who, 'resources/read', { uri });
    expect((await read('alice', 'x://secret')).error).toBeUndefined();
    const { error } = await read(token, 'x://secret');
    expect(error).toEqual({ code: -32602, message: 'Resource not found: x://secret', data: { uri: 'x://secret' } });

    const uris = ['x://secret', 'x://open'];
    const message = stateless('l', 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
    const stream = await post(reached, message, { ...statelessHeaders(message), ...as(token) });
    await nextMessage(stream);
    server.resourceUpdated('x://secret');
    server.resourceUpdated('x://open');
    expect(await nextMessage(stream)).toMatchObject({ params: { uri: 'x://open' } });
    stream.hangUp();
  });
});
