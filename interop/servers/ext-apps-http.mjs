/** Tools with a view, by the official package for them, over HTTP: to clients of 2026-07-28 and of older revisions. */

import { createServer } from 'node:http';
import {
  getUiCapability,
  RESOURCE_MIME_TYPE,
  registerAppResource,
  registerAppTool,
} from '@modelcontextprotocol/ext-apps/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { VIEW, weatherIn } from './weather.mjs';

const { uri, html, settings } = VIEW;
const inputSchema = z.object({ city: z.string() });
const outputSchema = z.object({ degrees: z.number() });
const say = (text) => ({ content: [{ type: 'text', text }] });

function makeServer() {
  const server = new McpServer({ name: 'ext-apps', version: '1.0.0' });
  const weather = (args) => {
    const structuredContent = weatherIn(args);
    return { ...say(`${structuredContent.degrees} degrees`), structuredContent };
  };
  const link = (ui) => ({ inputSchema, outputSchema, _meta: { ui: { resourceUri: uri, ...ui } } });
  registerAppTool(server, 'weather', link({}), weather);
  registerAppTool(server, 'refresh', link({ visibility: ['app'] }), weather);
  registerAppTool(server, 'report', { _meta: { ui: { visibility: ['model'] } } }, () => say('Sunny'));
  // In the list only: the page is read without it.
  registerAppResource(server, 'Weather', uri, { _meta: { ui: settings } }, () => ({
    contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: html }],
  }));
  server.registerTool('shows', {}, () => {
    const { mimeTypes = [] } = getUiCapability(server.server.getClientCapabilities()) ?? {};
    return say(String(mimeTypes.includes(RESOURCE_MIME_TYPE)));
  });
  return server;
}

createServer(toNodeHandler(createMcpHandler(makeServer))).listen(0, '127.0.0.1');
