import { McpServer } from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { claim, open, REVISIONS, STATEFUL } from '../../test/wire.ts';

const template = 'x:{+rest}';
const longUri = `x:${'a'.repeat(8190)}`;
const longerUri = `${longUri}a`;

const make = (): McpServer =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {} })
    .registerTool('t', {}, () => '')
    .registerResourceTemplate(template, { complete: { rest: () => ['b'] } }, (_, __, uri) => String(uri.length));

const tooLong = (name: string, limit: number) => ({
  code: -32602,
  message: `"${name}" has more than ${limit} characters`,
});

describe.each(REVISIONS)('on %s', (revision) => {
  test('a URI of 8,192 characters is read, a longer one is -32602', async () => {
    const wire = await open(make(), { revision });
    expect((await wire.call('resources/read', { uri: longUri })).result).toMatchObject({
      contents: [{ text: '8192' }],
    });
    expect((await wire.call('resources/read', { uri: longerUri })).error).toEqual(tooLong('uri', 8192));
  });

  test('a completion that names a longer URI is -32602', async () => {
    const wire = await open(make(), { revision });
    const argument = { name: 'rest', value: '' };
    const complete = (uri: string) =>
      wire.call('completion/complete', { ref: { type: 'ref/resource', uri }, argument });
    expect((await complete(template)).result).toMatchObject({ completion: { values: ['b'] } });
    expect((await complete(longerUri)).error).toEqual(tooLong('ref.uri', 8192));
  });

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    'a cursor of %s with more than 4,096 characters is -32602',
    async (method) => {
      const wire = await open(
        make().registerPrompt('p', {}, () => ''),
        { revision },
      );
      const { error } = await wire.call(method, { cursor: 'a'.repeat(4097) });
      expect(error).toEqual(tooLong('cursor', 4096));
    },
  );

  test('a progress token of 1,024 characters is used, a longer one is -32602', async () => {
    const server = make().registerTool('p', {}, (_, ctx) => {
      ctx.reportProgress(1);
      return '';
    });
    const wire = await open(server, { revision });
    const call = (progressToken: string) =>
      wire.call('tools/call', {
        name: 'p',
        _meta: revision === '2026-07-28' ? claim({}, { progressToken }) : { progressToken },
      });
    expect((await call('t'.repeat(1024))).result).toBeDefined();
    expect(wire.received.filter(({ method }) => method === 'notifications/progress')).toHaveLength(1);
    expect((await call('t'.repeat(1025))).error).toEqual(tooLong('_meta.progressToken', 1024));
  });
});

test.each(STATEFUL)('a longer URI is neither subscribed to nor unsubscribed from on %s', async (revision) => {
  const wire = await open(make(), { revision });
  expect((await wire.call('resources/subscribe', { uri: longUri })).result).toEqual({});
  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    expect((await wire.call(method, { uri: longerUri })).error).toEqual(tooLong('uri', 8192));
  }
});

test('subscriptions/listen with a longer URI among others is -32602', async () => {
  const wire = await open(make());
  const { error } = await wire.call('subscriptions/listen', {
    notifications: { resourceSubscriptions: ['x:a', longerUri] },
  });
  expect(error).toEqual(tooLong('notifications.resourceSubscriptions', 8192));
});

test('a resource or template that no request could name is refused at registration', () => {
  expect(() => make().registerResource(longerUri, {}, () => '')).toThrow(/the URI has more than 8192 characters$/);
  expect(() => make().registerResourceTemplate(longerUri, {}, () => '')).toThrow(/has more than 8192 characters$/);
});

test('parameters of methods of the author are not limited', async () => {
  const server = make().setHandler('own/method', (params) => ({ length: String(params['uri']).length }));
  const wire = await open(server);
  expect((await wire.call('own/method', { uri: longerUri, cursor: longerUri })).result).toMatchObject({ length: 8193 });
});
