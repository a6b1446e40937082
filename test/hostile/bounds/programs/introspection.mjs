// An HTTP server that asks an authorization server about each token. Its issuer is told by the test.

import { introspect } from 'mcpp/auth/server';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { underAttack } from '../measured.mjs';

const server = new McpServer({ name: 's', version: '1' }).registerTool('hello', {}, () => 'ok');

async function serve(issuer) {
  const resource = 'http://localhost/mcp';
  const auth = introspect({ issuer, resource, clientId: 'c', clientSecret: 's' });
  const { port } = await serveHttp(server, { port: 0, auth });
  return port;
}

underAttack({ actions: { serve } });
