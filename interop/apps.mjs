/** Tools with a view: this package's server and the official host, and the official server and this package's host. */

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { App } from '@modelcontextprotocol/ext-apps';
import {
  AppBridge,
  buildAllowAttribute,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  isToolVisibilityModelOnly,
  McpUiResourceMetaSchema,
  McpUiToolMetaSchema,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import { EXTENSION_ID } from '@modelcontextprotocol/ext-apps/server';
import { connect } from '../dist/entries/client.js';
import { appOf, apps, isForApp, isForModel, readApp } from '../dist/entries/extensions/apps.js';
import { NOT_OFFERED } from './checks.mjs';
import { called } from './peers.mjs';
import { startServer } from './program.mjs';
import { inTime, Row } from './row.mjs';
import { VIEW } from './servers/weather.mjs';

export const title = 'Tools with a view';

const host = { name: 'host', version: '1.0.0' };
const name = called('@modelcontextprotocol/ext-apps');
const ACCESS = { weather: ['model', 'app'], refresh: ['app'], report: ['model'], shows: ['model', 'app'] };
const INPUT = { name: 'weather', arguments: { city: 'Turin' } };

/** The official host, with this package's server. */
async function connectOfficial(url, mode) {
  const extensions = { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } };
  const client = new Client(host, { capabilities: { extensions }, versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    revision: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    uriOf: getToolUiResourceUri,
    accessOf: (tool) => [
      ...(isToolVisibilityAppOnly(tool) ? [] : ['model']),
      ...(isToolVisibilityModelOnly(tool) ? [] : ['app']),
    ],
    async readView(uri) {
      const { contents } = await client.readResource({ uri });
      const { resources } = await client.listResources();
      const [page] = contents;
      assert.deepEqual(resources.find((one) => one.uri === uri)?._meta, page._meta);
      assert.equal(page.mimeType, RESOURCE_MIME_TYPE);
      return { html: page.text, ...McpUiResourceMetaSchema.parse(page._meta.ui) };
    },
    callTool: (params) => client.callTool(params),
    bridge: () => new AppBridge(client, host, { serverTools: {}, serverResources: {} }),
    close: () => client.close(),
  };
}

/** This package's host, with the official server. The bridge to the view is the official one. */
async function connectOwn(url, mode) {
  const mcp = await connect(url, { extensions: [apps()], ...(mode === 'legacy' && { revision: 'legacy' }) });
  const listTools = async () => (await mcp.listTools()).tools;
  return {
    revision: mcp.revision,
    listTools,
    uriOf: (tool) => appOf(tool)?.uri,
    accessOf: (tool) => [...(isForModel(tool) ? ['model'] : []), ...(isForApp(tool) ? ['app'] : [])],
    async readView(uri) {
      const { uri: _, ...view } = await readApp(mcp, uri);
      return view;
    },
    callTool: ({ name, arguments: args }) => mcp.callTool(name, args),
    bridge() {
      const bridge = new AppBridge(null, host, { serverTools: {}, serverResources: {} });
      bridge.oncalltool = async ({ name, arguments: args }) => {
        const tool = (await listTools()).find((one) => one.name === name);
        assert.ok(tool && isForApp(tool), 'views may not call it');
        return mcp.callTool(name, args);
      };
      bridge.onreadresource = ({ uri }) => mcp.readResource(uri);
      return bridge;
    },
    refuses: 'report',
    close: () => mcp.close(),
  };
}

const WAYS = [
  { name: `${name}, host`, server: 'mcpp-apps-http', open: connectOfficial, lacks: [] },
  // Without sessions it does not know later what the client declared.
  { name: `${name}, server`, server: 'ext-apps-http', open: connectOwn, lacks: ['declared'] },
];

/** The server knows that the client shows views, unless it knows nothing of its client at all. */
async function declared({ peer }) {
  const { content } = await peer.callTool({ name: 'shows', arguments: {} });
  return content[0].text === 'true' ? undefined : NOT_OFFERED;
}

async function link({ peer, tools }) {
  assert.equal(peer.uriOf(tools.get('weather')), VIEW.uri);
  assert.equal(tools.get('weather')._meta['ui/resourceUri'], VIEW.uri);
  assert.equal(peer.uriOf(tools.get('report')), undefined);
  for (const tool of tools.values()) if (tool._meta) McpUiToolMetaSchema.parse(tool._meta.ui);
}

async function visibility({ peer, tools }) {
  assert.deepEqual(Object.fromEntries([...tools].map(([name, tool]) => [name, peer.accessOf(tool)])), ACCESS);
}

async function view({ peer }) {
  const { html, ...settings } = await peer.readView(VIEW.uri);
  assert.equal(html, VIEW.html);
  assert.deepEqual(settings, VIEW.settings);
  assert.equal(buildAllowAttribute(settings.permissions), 'geolocation; clipboard-write');
}

async function call({ peer }) {
  const { content, structuredContent } = await peer.callTool(INPUT);
  assert.deepEqual(content, [{ type: 'text', text: '5 degrees' }]);
  assert.deepEqual(structuredContent, { degrees: 5 });
}

/** A view gets the result of its tool, and then calls another tool and reads a resource through its host. */
async function bridge({ peer }) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const bridge = peer.bridge();
  const app = new App({ name: 'view', version: '1.0.0' }, {}, { autoResize: false, strict: true });
  const shown = new Promise((resolve) => {
    app.ontoolresult = resolve;
  });
  app.onteardown = () => ({});
  try {
    await bridge.connect(near);
    await app.connect(far);
    await bridge.sendToolInput({ arguments: INPUT.arguments });
    await bridge.sendToolResult(await peer.callTool(INPUT));
    assert.deepEqual((await shown).structuredContent, { degrees: 5 });

    const again = await app.callServerTool({ name: 'refresh', arguments: { city: 'Oslo' } });
    assert.deepEqual(again.structuredContent, { degrees: 4 });
    const { contents } = await app.readServerResource({ uri: VIEW.uri });
    assert.equal(contents[0].text, VIEW.html);
    // What the view may not call is for its host to know.
    if (peer.refuses) await assert.rejects(app.callServerTool({ name: peer.refuses, arguments: {} }));
    await bridge.teardownResource({});
  } finally {
    await app.close();
    await bridge.close();
  }
}

const CHECKS = new Map(Object.entries({ declared, link, visibility, view, call, bridge }));
export const columns = [...CHECKS.keys(), 'close'];

/** Two rows for each way: of 2026-07-28, and of the older revisions. */
export async function rows(isWanted) {
  const visits = WAYS.flatMap((way) => [
    { ...way, revision: '2025-11-25', mode: 'legacy' },
    { ...way, revision: '2026-07-28', mode: 'auto', lacks: [] },
  ]).filter(isWanted);
  return Promise.all(visits.map(visit));
}

async function visit({ server, open, mode, ...peer }) {
  const row = new Row(peer);
  const started = await startServer([fileURLToPath(new URL(`./servers/${server}.mjs`, import.meta.url))]);
  let connected;
  try {
    connected = await inTime(() => open(`http://127.0.0.1:${started.port}/mcp`, mode));
    row.agree(connected.revision);
    const tools = new Map((await inTime(() => connected.listTools())).map((tool) => [tool.name, tool]));
    await row.check(CHECKS, { peer: connected, tools });
    await row.check(new Map([['close', () => connected.close()]]), {});
    if (started.said !== '') row.fail('stderr', `the server wrote:\n${started.said}`);
  } catch (error) {
    row.fail('connect', error);
  } finally {
    await connected?.close().catch(() => {});
    await started.stop();
  }
  return row;
}
