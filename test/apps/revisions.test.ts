/** A tool with a view in every revision: linked where items have `_meta`, a plain tool where they have none. */

import { apps, canShowApps, registerAppTool } from 'mcpp/extensions/apps';
import { McpServer } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { open, REVISIONS, type Reply } from '../wire.ts';

const PAGE = '<!doctype html><title>Weather</title>';
const MIME_TYPE = 'text/html;profile=mcp-app';
const SHOWS_APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [MIME_TYPE] } } };
const uri = 'ui://weather/view.html';

function makeServer(): McpServer<unknown> {
  const server = new McpServer({ name: 'weather', version: '1.0.0' }, { extensions: [apps()] });
  const ui = { uri, html: PAGE, prefersBorder: true };
  const outputSchema = z.object({ degrees: z.number() });
  const text = ({ degrees }: { degrees: number }, ctx: Parameters<typeof canShowApps>[0]): string =>
    canShowApps(ctx) ? 'Shown' : `${degrees} degrees`;
  registerAppTool(server, 'weather', { ui, outputSchema, text }, () => ({ degrees: 21 }));
  registerAppTool(server, 'refresh', { ui, visibility: ['app'] }, () => 'Refreshed');
  return server;
}

/** Its first piece of content; older revisions have the structured content as a second one. */
const firstOf = (result: Reply['result']): unknown => (result?.['content'] as readonly unknown[] | undefined)?.[0];

describe.each(REVISIONS)('%s', (revision) => {
  const hasMeta = revision >= '2025-06-18';

  test('a client that shows views', async () => {
    const wire = await open(makeServer(), { revision, capabilities: SHOWS_APPS });
    const link = (ui: object): object => (hasMeta ? { _meta: { ui, 'ui/resourceUri': uri } } : {});
    const { result: tools } = await wire.call('tools/list');
    const weather = { name: 'weather', ...link({ resourceUri: uri }) };
    const refresh = { name: 'refresh', ...link({ resourceUri: uri, visibility: ['app'] }) };
    expect(tools?.['tools']).toMatchObject(hasMeta ? [weather, refresh] : [weather]);
    if (!hasMeta) expect(JSON.stringify(tools)).not.toContain('ui://');

    const { result: read } = await wire.call('resources/read', { uri });
    const _meta = { ui: { prefersBorder: true } };
    expect(read?.['contents']).toEqual([{ uri, mimeType: MIME_TYPE, text: PAGE, ...(hasMeta ? { _meta } : {}) }]);

    const { result: called } = await wire.call('tools/call', { name: 'weather' });
    expect(firstOf(called)).toEqual({ type: 'text', text: hasMeta ? 'Shown' : '21 degrees' });
    await wire.disconnect();
  });

  test('a client that shows none gets the text, and no tool that is for views only', async () => {
    const wire = await open(makeServer(), { revision });
    const { result: tools } = await wire.call('tools/list');
    expect(tools?.['tools']).toMatchObject([{ name: 'weather' }]);
    expect(tools?.['tools']).toHaveLength(1);
    const { result: called } = await wire.call('tools/call', { name: 'weather' });
    expect(firstOf(called)).toEqual({ type: 'text', text: '21 degrees' });
    await wire.disconnect();
  });

  test('both sides declare it where there is a use for it', async () => {
    const host = await testClient(makeServer(), { revision, extensions: [apps()] });
    await host.listTools();
    const said = JSON.stringify(host.wire);
    expect(said.includes('"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}')).toBe(hasMeta);
    expect(host.serverCapabilities.extensions).toEqual(hasMeta ? { 'io.modelcontextprotocol/ui': {} } : undefined);
    await host.close();
  });
});
