/** Tools with a view, by this package, over HTTP. */

import { apps, canShowApps, registerAppTool } from '../../dist/entries/extensions/apps.js';
import { serveHttp } from '../../dist/entries/http.js';
import { McpServer } from '../../dist/entries/server.js';
import { CITY, DEGREES, VIEW, weatherIn } from './weather.mjs';

const server = new McpServer({ name: 'mcpp', version: '1.0.0' }, { extensions: [apps()] });
const { uri, html, settings } = VIEW;
const ui = { uri, html, ...settings };
const schemas = { inputSchema: CITY, outputSchema: DEGREES };

const text = ({ degrees }) => `${degrees} degrees`;
registerAppTool(server, 'weather', { ...schemas, ui, text }, weatherIn);
registerAppTool(server, 'refresh', { ...schemas, ui, text, visibility: ['app'] }, weatherIn);
registerAppTool(server, 'report', { visibility: ['model'] }, () => 'Sunny');
server.registerTool('shows', {}, (_args, ctx) => String(canShowApps(ctx)));

await serveHttp(server, { port: 0 });
