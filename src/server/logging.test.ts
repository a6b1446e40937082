import { McpServer, type ServerEvent } from 'mcpp/server';
import { expect, test } from 'vitest';
import { open, quiet, STATEFUL } from '../../test/wire.ts';

const make = (options: object = {}): McpServer => new McpServer({ name: 's', version: '1' }, options);

test.each(STATEFUL)(
  'a log message outside of a request reaches every client that wants its level: %s',
  async (revision) => {
    const server = make();
    const [one, other] = [await open(server, { revision }), await open(server, { revision })];
    for (const wire of [one, other]) wire.notify('notifications/initialized');
    await other.call('logging/setLevel', { level: 'error' });
    server.log('info', { free: 5 }, 'disk');
    server.log('info', { free: 5 }, 'disk');
    server.log('error', 'full');
    server.log('debug', 'nobody wants this');
    await quiet();
    const logs = (wire: typeof one): unknown[] =>
      wire.received.filter(({ method }) => method === 'notifications/message').map(({ params }) => params);
    expect(logs(one)).toEqual([
      { level: 'info', data: { free: 5 }, logger: 'disk' },
      { level: 'info', data: { free: 5 }, logger: 'disk' },
      { level: 'error', data: 'full' },
    ]);
    expect(logs(other)).toEqual([{ level: 'error', data: 'full' }]);
  },
);

test('a server log message is not sent to clients of stateless revisions, nor without the capability logging', async () => {
  const server = make();
  const wire = await open(server);
  const quietServer = make({ capabilities: { logging: false } });
  const undeclared = await open(quietServer, { revision: '2025-11-25' });
  undeclared.notify('notifications/initialized');
  server.log('emergency', 'x');
  quietServer.log('emergency', 'x');
  await quiet();
  expect([...wire.received, ...undeclared.received].filter(({ method }) => method)).toEqual([]);
});

test('a server log message is published on the change bus', () => {
  const published: ServerEvent[] = [];
  const server = make({
    changes: { publish: (event: ServerEvent) => published.push(event), subscribe: () => () => {} },
  });
  server.log('warning', undefined);
  return Promise.resolve().then(() =>
    expect(published).toEqual([{ type: 'log', message: { level: 'warning', data: null } }]),
  );
});

test('an unknown level is refused', () => {
  expect(() => make().log('warn' as never, 'x')).toThrow('log: the level must be one of debug, info');
});
