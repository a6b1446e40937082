/** Watching a real server, on every revision: one API, whichever way changes travel. */

import { type Connection, connect } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import { afterEach, describe, expect, test } from 'vitest';
import { quiet, REVISIONS } from './wire.ts';

const make = (): McpServer => {
  const server = new McpServer({ name: 's', version: '1' })
    .registerTool('t', {}, () => '')
    .registerResource('x:/a', {}, () => '');
  server.registerPrompt('p', {}, () => '');
  return server;
};

const open: Connection[] = [];
const to = async (server: McpServer, revision: (typeof REVISIONS)[number]): Promise<Connection> => {
  const connection = await connect(server, { revision });
  open.push(connection);
  return connection;
};

afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
});

describe.each(REVISIONS)('on %s', (revision) => {
  test('a watcher of the tools hears that one is registered and one is gone, until it stops', async () => {
    const server = make();
    const connection = await to(server, revision);
    const heard: unknown[] = [];
    const stop = await connection.watch('tools', (event) => heard.push(event));
    server.registerTool('new', {}, () => '');
    await quiet();
    expect(heard).toEqual([{ type: 'tools' }]);
    server.tools.remove('new');
    await quiet();
    expect(heard).toEqual([{ type: 'tools' }, { type: 'tools' }]);
    await stop();
    server.registerTool('newer', {}, () => '');
    await quiet();
    expect(heard).toHaveLength(2);
  });

  test('a watcher of a resource hears of it and of what is inside it, until it stops', async () => {
    const server = make();
    const connection = await to(server, revision);
    const heard: unknown[] = [];
    const stop = await connection.watch('x:/a', (event) => heard.push(event));
    for (const uri of ['x:/a', 'x:/a/b', 'x:/ab', 'x:/b']) server.resourceUpdated(uri);
    await quiet();
    expect(heard).toEqual([
      { type: 'resource', uri: 'x:/a' },
      { type: 'resource', uri: 'x:/a/b' },
    ]);
    await stop();
    server.resourceUpdated('x:/a');
    await quiet();
    expect(heard).toHaveLength(2);
  });

  test('each watcher hears of what it watches, once, whoever comes and goes', async () => {
    const server = make();
    const connection = await to(server, revision);
    const heard: string[] = [];
    const watch = (name: string, what: string) => connection.watch(what, () => heard.push(name));
    await watch('tools', 'tools');
    const [stopPrompts] = await Promise.all([watch('prompts', 'prompts'), watch('resources', 'resources')]);
    const stopA = await watch('a', 'x:/a');
    await watch('a too', 'x:/a');
    const changeAll = async (): Promise<string[]> => {
      server.registerTool('new', { replace: true }, () => '');
      server.registerPrompt('new', { replace: true }, () => '');
      server.registerResource('x:/new', { replace: true }, () => '');
      server.resourceUpdated('x:/a');
      await quiet();
      return heard.splice(0);
    };
    expect(await changeAll()).toEqual(['tools', 'prompts', 'resources', 'a', 'a too']);
    await stopPrompts();
    await stopA();
    expect(await changeAll()).toEqual(['tools', 'resources', 'a too']);
  });

  test('what the server does not tell of is named, and the rest is watched', async () => {
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, () => '');
    const connection = await to(server, revision);
    const heard: unknown[] = [];
    await connection.watch('tools', (event) => heard.push(event));
    await expect(connection.watch('prompts', () => {})).rejects.toThrow(
      'The server does not tell changes of its prompts (capability prompts.listChanged)',
    );
    await expect(connection.watch('x:/a', () => {})).rejects.toThrow(
      'The server does not tell changes of x:/a (capability resources.subscribe)',
    );
    server.registerTool('new', {}, () => '');
    await quiet();
    expect(heard).toEqual([{ type: 'tools' }]);
  });
});
