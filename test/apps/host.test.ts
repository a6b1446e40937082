/** What a host learns of tools and their views, from servers it does not trust. */

import type { Resource, ResourceContents, Tool } from 'mcpp';
import type { Connection } from 'mcpp/client';
import { appOf, apps, isForApp, isForModel, readApp, registerAppTool } from 'mcpp/extensions/apps';
import { McpServer } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { describe, expect, test } from 'vitest';

const PAGE = '<!doctype html><title>Weather</title>';
const MIME_TYPE = 'text/html;profile=mcp-app';
const uri = 'ui://weather/view.html';

const tool = (_meta?: object): Tool => ({
  name: 'x',
  inputSchema: { type: 'object' },
  ...(_meta && { _meta: { ..._meta } }),
});

type Reads = Pick<Connection, 'readResource' | 'resources'>;

/** A server that has this at every URI, and this in its list. */
function reads(contents: readonly ResourceContents[], list: readonly Resource[] = []): Reads {
  return {
    readResource: async () => ({ contents }),
    async *resources() {
      yield* list;
    },
  };
}

test('a host finds the view of a tool and reads it', async () => {
  const server = new McpServer({ name: 'weather', version: '1.0.0' }, { extensions: [apps()] });
  const ui = { uri, html: PAGE, csp: { connectDomains: ['https://api.example.com'] }, permissions: { camera: {} } };
  registerAppTool(server, 'weather', { ui }, () => 'Sunny');
  registerAppTool(server, 'refresh', { visibility: ['app'] }, () => 'Sunny still');
  server.registerTool('plain', {}, () => 'Hi');
  const host = await testClient(server, { extensions: [apps()] });

  const { tools } = await host.listTools();
  expect(tools.map(appOf)).toEqual([
    { uri, visibility: ['model', 'app'] },
    { uri: undefined, visibility: ['app'] },
    undefined,
  ]);
  expect(tools.filter(isForModel).map(({ name }) => name)).toEqual(['weather', 'plain']);
  expect(await readApp(host, uri)).toEqual({ ...ui, html: PAGE });
  // Nothing was missing beside the page, so there was no need for the list.
  expect(JSON.stringify(host.wire)).not.toContain('resources/list');
  expect(host.serverCapabilities.extensions).toEqual({ 'io.modelcontextprotocol/ui': {} });
  await host.close();
});

describe('who may use a tool', () => {
  test.each([
    ['says nothing', undefined, true, true],
    ['has a view', { ui: { resourceUri: uri } }, true, true],
    ['is for the model', { ui: { visibility: ['model'] } }, true, false],
    ['is for views', { ui: { visibility: ['app'] } }, false, true],
    ['is for somebody else', { ui: { visibility: ['admin', 7] } }, false, false],
    ['cannot be understood', { ui: { visibility: 'model' } }, false, false],
    ['has other _meta', { ui: 7 }, true, true],
  ])('that %s', (_, meta, model, app) => {
    expect([isForModel(tool(meta)), isForApp(tool(meta))]).toEqual([model, app]);
  });
});

describe('the view of a tool', () => {
  test.each([
    ['by the old key', { 'ui/resourceUri': uri }, uri],
    ['by both, where the newer one counts', { ui: { resourceUri: uri }, 'ui/resourceUri': 'ui://old' }, uri],
    ['at another scheme, which is none', { ui: { resourceUri: 'https://example.com' } }, undefined],
    ['at no URI', { ui: { resourceUri: 7 } }, undefined],
  ])('%s', (_, meta, expected) => {
    expect(appOf(tool(meta))).toEqual({ uri: expected, visibility: ['model', 'app'] });
  });
});

describe('reading a view', () => {
  const page = { uri, mimeType: MIME_TYPE, text: PAGE };

  test('what stands in the list counts if nothing stands beside the page', async () => {
    const other = { uri: 'ui://other', name: 'other', _meta: { ui: { prefersBorder: false } } };
    const listed = { uri, name: uri, _meta: { ui: { csp: { frameDomains: ['https://a.com'] }, prefersBorder: true } } };
    expect(await readApp(reads([page], [other, listed]), uri)).toEqual({
      uri,
      html: PAGE,
      csp: { frameDomains: ['https://a.com'] },
      permissions: {},
      prefersBorder: true,
    });
    // What stands beside the page is all of it: origins of the list would be more than it wants.
    const alone = { ...page, _meta: { ui: { domain: 'a1.example.com' } } };
    expect(await readApp(reads([alone], [listed]), uri)).toEqual({
      uri,
      html: PAGE,
      csp: {},
      permissions: {},
      domain: 'a1.example.com',
    });
    expect(await readApp(reads([page]), uri)).toEqual({ uri, html: PAGE, csp: {}, permissions: {} });
  });

  test('origins and permissions that are none do not reach the sandbox', async () => {
    const ui = {
      csp: {
        connectDomains: ['https://a.com', 'https://b.com; script-src *', '*', 7],
        resourceDomains: 'https://a.com',
        scriptDomains: ['https://a.com'],
      },
      permissions: { camera: {}, microphone: true, usb: {} },
      domain: 7,
      prefersBorder: 'yes',
    };
    expect(await readApp(reads([{ ...page, _meta: { ui } }]), uri)).toEqual({
      uri,
      html: PAGE,
      csp: { connectDomains: ['https://a.com'] },
      permissions: { camera: {} },
    });
  });

  test.each([
    'a1.example.com; script-src *',
    'a1.example.com" onload="alert(1)',
    'a1.example.com\r\nSet-Cookie: a=b',
    `${'a'.repeat(300)}.com`,
    '',
  ])('nor does a domain that is none: %j', async (domain) => {
    expect(await readApp(reads([{ ...page, _meta: { ui: { domain } } }]), uri)).not.toHaveProperty('domain');
  });

  test('a page may come as base64', async () => {
    const blob = { uri, mimeType: MIME_TYPE, blob: Buffer.from(`${PAGE}Zürich`).toString('base64') };
    expect((await readApp(reads([blob]), uri)).html).toBe(`${PAGE}Zürich`);
    for (const bad of ['%%%', Buffer.from([0xff, 0xfe]).toString('base64')]) {
      await expect(readApp(reads([{ ...blob, blob: bad }]), uri)).rejects.toThrow(`The view at ${uri} is not text`);
    }
  });

  test('a page that is neither text nor base64 is none', async () => {
    for (const bad of [{ text: 7 }, { text: null }, { blob: 1234 }, {}]) {
      const answer = [{ uri, mimeType: MIME_TYPE, ...bad }] as never;
      await expect(readApp(reads(answer), uri)).rejects.toThrow(`The view at ${uri} is not text`);
    }
  });

  test('what is of another type, or at another URI, is not a view', async () => {
    const fault = `What the server has at ${uri} is not of type ${MIME_TYPE}`;
    for (const bad of [
      { ...page, mimeType: 'text/html' },
      { ...page, uri: 'ui://other' },
    ]) {
      await expect(readApp(reads([bad]), uri)).rejects.toThrow(fault);
    }
    await expect(readApp(reads([]), uri)).rejects.toThrow(fault);
    await expect(readApp(reads([page]), 'https://example.com')).rejects.toThrow('The URI of a view begins with ui://');
  });
});
