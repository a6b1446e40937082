/** What a tool with a view is on the wire, and what is refused when it is registered. */

import { type AppToolConfig, registerAppTool } from 'mcpp/extensions/apps';
import { inputRequired, McpServer } from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { open, type Reply } from '../wire.ts';

const PAGE = '<!doctype html><title>Weather</title>';
const MIME_TYPE = 'text/html;profile=mcp-app';
const SHOWS_APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [MIME_TYPE] } } };
const view = { uri: 'ui://weather/view.html', html: PAGE };
const output = z.object({ degrees: z.number() });

const makeServer = (): McpServer => new McpServer({ name: 'weather', version: '1.0.0' });

async function ask(server: McpServer<unknown>, method: string, params: object = {}, capabilities = {}): Promise<Reply> {
  const wire = await open(server, { capabilities });
  const reply = await wire.call(method, params);
  await wire.disconnect();
  return reply;
}

const call = (server: McpServer<unknown>, name: string, capabilities = {}): Promise<Reply> =>
  ask(server, 'tools/call', { name }, capabilities);

const toolsOf = ({ result }: Reply): { name: string; _meta: object }[] => (result?.['tools'] ?? []) as never;
const names = (reply: Reply): string[] => toolsOf(reply).map(({ name }) => name);

test('a tool is linked to its view, by the old key as well, and the view is a resource', async () => {
  const server = registerAppTool(
    makeServer(),
    'weather',
    {
      description: 'Tells the weather',
      _meta: { 'com.example/kept': true },
      ui: {
        ...view,
        title: 'Weather',
        csp: { connectDomains: ['https://api.example.com', 'wss://*.example.com:8443'] },
        permissions: { geolocation: {} },
        domain: 'a1.example.com',
        prefersBorder: false,
      },
    },
    () => 'Sunny',
  );
  const ui = {
    csp: { connectDomains: ['https://api.example.com', 'wss://*.example.com:8443'] },
    permissions: { geolocation: {} },
    domain: 'a1.example.com',
    prefersBorder: false,
  };

  const tools = await ask(server, 'tools/list');
  expect(tools.result?.['tools']).toEqual([
    {
      name: 'weather',
      description: 'Tells the weather',
      inputSchema: { type: 'object', properties: {} },
      _meta: { 'com.example/kept': true, ui: { resourceUri: view.uri }, 'ui/resourceUri': view.uri },
    },
  ]);
  const resources = await ask(server, 'resources/list');
  expect(resources.result?.['resources']).toEqual([
    { uri: view.uri, name: view.uri, title: 'Weather', mimeType: MIME_TYPE, _meta: { ui } },
  ]);
  const read = await ask(server, 'resources/read', { uri: view.uri });
  expect(read.result?.['contents']).toEqual([{ uri: view.uri, mimeType: MIME_TYPE, text: PAGE, _meta: { ui } }]);
});

test('a view of which nothing else is said has no _meta, and its URI is made of the name of the tool', async () => {
  const server = registerAppTool(makeServer(), 'get_Weather.v2', { ui: { html: PAGE } }, () => 'Sunny');
  const uri = 'ui://get_Weather.v2/view.html';
  const read = await ask(server, 'resources/read', { uri });
  expect(read.result?.['contents']).toEqual([{ uri, mimeType: MIME_TYPE, text: PAGE }]);
});

test('a page can be made for whoever reads it', async () => {
  const ui = {
    ...view,
    html: async ({ client }: { client: { name: string } | undefined }) => `${PAGE}${client?.name}`,
  };
  const server = registerAppTool(makeServer(), 'weather', { ui }, () => 'Sunny');
  const read = await ask(server, 'resources/read', { uri: view.uri });
  expect(read.result?.['contents']).toEqual([{ uri: view.uri, mimeType: MIME_TYPE, text: `${PAGE}raw` }]);
});

test('a page that turns out to be none is reported here, and not sent', async () => {
  const errors: unknown[] = [];
  const server = new McpServer({ name: 'x', version: '1' }, { onError: (error) => errors.push(error) });
  registerAppTool(server, 'weather', { ui: { ...view, html: () => 'Sunny' } }, () => 'Sunny');
  const read = await ask(server, 'resources/read', { uri: view.uri });
  expect(read.error?.code).toBe(-32603);
  expect(errors.map(String)).toEqual([
    `Error: View "${view.uri}": html must be a whole HTML document, beginning with <!doctype html>`,
  ]);
});

test('comments, blanks and capitals may stand where HTML allows them', () => {
  for (const html of [
    '\n<!-- made by hand --> <!-- - -->\n<!DOCTYPE HTML >',
    '<!doctype html SYSTEM "about:legacy-compat">',
  ]) {
    expect(() => registerAppTool(makeServer(), 'weather', { ui: { html } }, () => 'Sunny')).not.toThrow();
  }
});

test('several tools share a view: it is one resource, read from any of them', async () => {
  const shared = { html: PAGE };
  const server = makeServer();
  registerAppTool(server, 'today', { ui: shared }, () => 'Sunny');
  registerAppTool(server, 'tomorrow', { ui: shared }, () => 'Rainy');
  const uri = 'ui://today/view.html';
  const tools = toolsOf(await ask(server, 'tools/list'));
  expect(tools.map(({ _meta }) => _meta)).toEqual(
    Array.from({ length: 2 }, () => ({ ui: { resourceUri: uri }, 'ui/resourceUri': uri })),
  );
  expect(server.resources.names).toEqual([uri]);

  const other = makeServer();
  registerAppTool(other, 'tomorrow', { ui: shared }, () => 'Rainy');
  expect(other.resources.names).toEqual(['ui://tomorrow/view.html']);
});

test('another view at the same URI is refused, unless it is to take its place together with the tool', async () => {
  const server = makeServer();
  const first = { ...view };
  registerAppTool(server, 'today', { ui: first }, () => 'Sunny');
  expect(() => registerAppTool(server, 'tomorrow', { ui: { ...view } }, () => 'Rainy')).toThrow(
    `Tool "tomorrow": there is a resource "${view.uri}" already; tools that share a view are given the same object as "ui"`,
  );
  expect(server.tools.names).toEqual(['today']);

  registerAppTool(server, 'today', { ui: { ...view, html: `${PAGE}2` }, replace: true }, () => 'Sunny');
  expect((await ask(server, 'resources/read', { uri: view.uri })).result?.['contents']).toMatchObject([
    { text: `${PAGE}2` },
  ]);
  // The first one is not the view at its URI any more.
  expect(() => registerAppTool(server, 'tomorrow', { ui: first }, () => 'Rainy')).toThrow('there is a resource');
});

test('a view that was taken away is registered again with the next tool', () => {
  const server = makeServer();
  registerAppTool(server, 'today', { ui: view }, () => 'Sunny');
  server.resources.remove(view.uri);
  registerAppTool(server, 'tomorrow', { ui: view }, () => 'Rainy');
  expect(server.resources.names).toEqual([view.uri]);
});

test('a tool that is refused leaves no view behind', () => {
  const server = makeServer();
  expect(() => registerAppTool(server, 'bad name', { ui: view }, () => 'Sunny')).toThrow('Tool "bad name"');
  expect(() => registerAppTool(server, 'weather', { ui: view }, undefined as never)).toThrow(
    'handler must be a function',
  );
  expect(server.resources.names).toEqual([]);
});

test('a view that is refused leaves no tool behind', () => {
  const server = makeServer();
  expect(() => registerAppTool(server, 'weather', { ui: { ...view, scopes: [] } }, () => 'Sunny')).toThrow(
    `Resource "${view.uri}": scopes must be an array with at least one scope`,
  );
  expect([...server.tools.names, ...server.resources.names]).toEqual([]);
});

describe('a tool that is for views only', () => {
  const makeShop = (): McpServer<unknown> => {
    const server = makeServer();
    registerAppTool(server, 'cart', { ui: view }, () => 'Empty');
    registerAppTool(server, 'refresh', { visibility: ['app'] }, () => 'Empty still');
    return server;
  };

  test('says so, and needs no view of its own', async () => {
    const tools = await ask(makeShop(), 'tools/list', {}, SHOWS_APPS);
    expect(tools.result?.['tools']).toMatchObject([
      { name: 'cart' },
      { name: 'refresh', _meta: { ui: { visibility: ['app'] } } },
    ]);
    expect(tools.result?.['cacheScope']).toBe('private');
    expect((await call(makeShop(), 'refresh', SHOWS_APPS)).result?.['content']).toEqual([
      { type: 'text', text: 'Empty still' },
    ]);
  });

  test.each([
    ['declares nothing', {}],
    ['shows something else', { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } }],
    ['declares it without MIME types', { extensions: { 'io.modelcontextprotocol/ui': {} } }],
    ['declares nonsense', { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: MIME_TYPE } } }],
  ])('does not exist for a client that %s', async (_, capabilities) => {
    expect(names(await ask(makeShop(), 'tools/list', {}, capabilities))).toEqual(['cart']);
    expect((await call(makeShop(), 'refresh', capabilities)).error).toMatchObject({ code: -32602 });
  });

  test('is seen by those whom its own `visible` names', async () => {
    const server = makeServer();
    registerAppTool(server, 'refresh', { visibility: ['app'], visible: () => true }, () => 'Empty');
    expect(names(await ask(server, 'tools/list'))).toEqual(['refresh']);
  });

  test('a tool that is for the model, too, is seen by all, and the list may be shared', async () => {
    const server = new McpServer({ name: 'x', version: '1' }, { cache: { ttlMs: 1000, cacheScope: 'public' } });
    registerAppTool(server, 'cart', { ui: view, visibility: ['model'] }, () => 'Empty');
    const { result } = await ask(server, 'tools/list');
    expect(result).toMatchObject({ cacheScope: 'public', tools: [{ _meta: { ui: { visibility: ['model'] } } }] });
  });
});

describe('text', () => {
  const config = { ui: view, outputSchema: output };
  const text = ({ degrees }: { degrees: number }): string => `${degrees} degrees`;
  const contentOf = async (server: McpServer<unknown>): Promise<unknown> => {
    const { result } = await call(server, 'weather');
    return { content: result?.['content'], structuredContent: result?.['structuredContent'] };
  };

  test.each([
    ['at once', () => ({ degrees: 21 })],
    ['later', async () => ({ degrees: 21 })],
    ['as a result without content', () => ({ content: [], structuredContent: { degrees: 21 } })],
    ['as something with a JSON form', () => ({ degrees: 0, toJSON: () => ({ degrees: 21 }) })],
  ])('is made of what the handler gives %s', async (_, handler) => {
    const server = registerAppTool(makeServer(), 'weather', { ...config, text }, handler);
    expect(await contentOf(server)).toEqual({
      content: [{ type: 'text', text: '21 degrees' }],
      structuredContent: { degrees: 21 },
    });
  });

  test('is not needed where the handler gives content', async () => {
    const result = { content: [{ type: 'text' as const, text: 'Warm' }], structuredContent: { degrees: 21 } };
    const server = registerAppTool(makeServer(), 'weather', { ...config, text }, () => result);
    expect(await contentOf(server)).toEqual(result);
  });

  test('is the structured content as JSON, if nobody says anything', async () => {
    const server = registerAppTool(makeServer(), 'weather', config, () => ({ degrees: 21 }));
    expect(await contentOf(server)).toMatchObject({ content: [{ type: 'text', text: '{"degrees":21}' }] });
  });

  test('is not made of errors', async () => {
    const failed = { content: [], isError: true };
    const server = registerAppTool(makeServer(), 'weather', { ...config, text }, () => failed);
    expect((await call(server, 'weather')).result).toMatchObject(failed);
  });

  test('is not made of questions', async () => {
    const server = registerAppTool(makeServer(), 'weather', { ...config, text }, () => inputRequired({ state: 1 }));
    expect((await call(server, 'weather')).result).toMatchObject({ resultType: 'input_required' });
  });
});

describe('what is refused, with the name of the tool', () => {
  const refused: [string, unknown, string][] = [
    [
      'no view and no visibility',
      {},
      'a tool of an app has "ui", "visibility" or both; any other is registered with registerTool',
    ],
    ['a view that is none', { ui: 'ui://x' }, 'ui must be an object with "html"'],
    [
      'a URI of another scheme',
      { ui: { uri: 'https://x/y', html: PAGE } },
      'ui.uri must be a URI that begins with ui://',
    ],
    ['a URI that is none', { ui: { uri: 'ui://', html: PAGE } }, 'ui.uri must be a URI that begins with ui://'],
    ['no page', { ui: {} }, 'ui.html must be a whole HTML document, beginning with <!doctype html>'],
    ['half a page', { ui: { html: '<p>Hi' } }, 'ui.html must be a whole HTML document, beginning with <!doctype html>'],
    [
      'a comment without an end',
      { ui: { html: '<!-- <!doctype html>' } },
      'ui.html must be a whole HTML document, beginning with <!doctype html>',
    ],
    [
      'an unknown list',
      { ui: { ...view, csp: { scriptDomains: [] } } },
      'ui.csp has no "scriptDomains"; known: connectDomains, resourceDomains, frameDomains, baseUriDomains',
    ],
    [
      'a list that is none',
      { ui: { ...view, csp: { frameDomains: 'https://x.com' } } },
      'ui.csp.frameDomains must be a list of origins',
    ],
    ['a policy that is none', { ui: { ...view, csp: [] } }, 'ui.csp must be an object'],
    [
      'an unknown permission',
      { ui: { ...view, permissions: { usb: {} } } },
      'ui.permissions has no "usb"; known: camera, microphone, geolocation, clipboardWrite',
    ],
    [
      'a permission that is not {}',
      { ui: { ...view, permissions: { camera: true } } },
      'ui.permissions.camera must be {}',
    ],
    [
      'a domain with spaces',
      { ui: { ...view, domain: 'a b' } },
      'ui.domain must be a domain or an origin, as its host wants it',
    ],
    ['a border that is not a boolean', { ui: { ...view, prefersBorder: 1 } }, 'ui.prefersBorder must be true or false'],
    [
      'an unknown visibility',
      { ui: view, visibility: ['user'] },
      'visibility must be a list of "model", "app" or both',
    ],
    ['a visibility for nobody', { ui: view, visibility: [] }, 'visibility must be a list of "model", "app" or both'],
    ['text without an output schema', { ui: view, text: () => '' }, 'text needs an outputSchema'],
    ['text that is no function', { ui: view, outputSchema: output, text: 'Hi' }, 'text must be a function'],
    ['_meta that is made here', { ui: view, _meta: { ui: {} } }, '_meta["ui"] is made of "ui" and "visibility"'],
  ];

  test.each(refused)('%s', (_, config, fault) => {
    const server = makeServer();
    expect(() => registerAppTool(server, 'weather', config as AppToolConfig, () => 'Sunny')).toThrow(
      new TypeError(`Tool "weather": ${fault}`),
    );
    expect([...server.tools.names, ...server.resources.names]).toEqual([]);
  });

  test.each([
    'api.example.com',
    '*',
    'https://*',
    'https://a.*.com',
    'https://example.com/',
    'https://example.com/path',
    "'unsafe-eval'",
    'https://a.com; script-src *',
    'https://a.com https://b.com',
    'https://user@a.com',
    'data:',
    'file:///x',
    7,
  ])('%s as an origin', (origin) => {
    const ui = { ...view, csp: { connectDomains: ['https://a.com', origin] } } as AppToolConfig['ui'];
    expect(() => registerAppTool(makeServer(), 'weather', { ui } as AppToolConfig, () => 'Sunny')).toThrow(
      'Tool "weather": ui.csp.connectDomains[1] must be an origin without a path, as in "https://api.example.com" or "https://*.example.com"',
    );
  });
});
