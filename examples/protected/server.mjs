/**
 * A protected server: everybody has notes of their own. `node server.mjs [--port 3000] [--issuer http://127.0.0.1:4000]`
 */

import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { jwt } from 'mcpp/auth/server';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '3000' },
    issuer: { type: 'string', default: 'http://127.0.0.1:4000' },
  },
});

const notes = new Map();
const server = new McpServer({ name: 'notes', title: 'Notes', version: '1.0.0' });

server.registerTool('whoami', { description: 'Says who is calling' }, (_, ctx) => {
  const { subject, scopes } = ctx.auth;
  return `You are ${subject}, and may do: ${scopes.join(', ')}`;
});

server.registerTool('read_notes', { description: 'Reads your notes' }, (_, ctx) => {
  const own = notes.get(ctx.auth.subject) ?? [];
  return own.join('\n') || 'There are no notes yet';
});

server.registerTool(
  'add_note',
  {
    description: 'Adds a note',
    inputSchema: { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] },
    // Whoever lacks it is asked for it when they call this.
    scopes: ['notes:write'],
  },
  ({ text }, ctx) => {
    const own = notes.get(ctx.auth.subject) ?? [];
    notes.set(ctx.auth.subject, [...own, text]);
    return `Noted for ${ctx.auth.subject}`;
  },
);

// What clients are told, and what tokens have to be for: the URL of this very server.
const resource = `http://127.0.0.1:${values.port}/mcp`;
const auth = jwt({ issuer: values.issuer, resource, scopes: ['notes:read'] });

const serving = await serveHttp(server, { port: Number(values.port), auth });
console.log(`The server listens at ${serving.url}, for those whom ${values.issuer} lets in (Ctrl+C ends it).`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await serving.close({ graceMs: 1000 });
