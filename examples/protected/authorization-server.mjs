/**
 * An authorization server for trying things out: anybody signs in, under any name, without a password, and everything is
 * forgotten when it ends. `node authorization-server.mjs [--port 4000]`
 */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { printable } from 'mcpp';
import { page, readForm } from './sign-in-page.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '4000' } } });

// At length it says what has to be changed before it is used in earnest: about everything.
console.info = console.warn = () => {};
const { Provider } = await import('oidc-provider');

const http = createServer();
http.listen(Number(values.port), '127.0.0.1');
await once(http, 'listening');
const issuer = `http://127.0.0.1:${http.address().port}`;

const provider = new Provider(issuer, {
  features: {
    devInteractions: { enabled: false },
    // Clients that nobody knows may register. Many name scopes that they made up, such as "openid email profile" or
    // "mcp:tools": nothing depends on them, since a person decides over the scopes of each token.
    registration: {
      enabled: true,
      idFactory: ({ oidc }) => {
        delete oidc.body.scope;
        return randomUUID();
      },
    },
    resourceIndicators: { enabled: true, getResourceServerInfo: (_, resource) => resourceServer(resource) },
  },
  // The Inspector registers and asks for tokens from a web page.
  clientBasedCORS: () => true,
  pkce: { required: () => true },
  issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  findAccount: (_, name) => ({ accountId: name, claims: () => ({ sub: name }) }),
  interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
});

const SCOPES = ['notes:read', 'notes:write'];

// Access tokens are for one server only, the one that was named as the resource, and say so.
function resourceServer(resource) {
  return {
    scope: SCOPES.join(' '),
    audience: resource,
    accessTokenTTL: 5 * 60,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  };
}

const answer = provider.callback();
http.on('request', (request, response) => {
  request.url = withDefaultScope(request.url);
  if (request.url === '/reg') {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'content-type');
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
  }
  const answered = request.url.startsWith('/sign-in/') ? signIn(request, response) : answer(request, response);
  answered.catch((error) => {
    console.error(printable(String(error)));
    response.destroy();
  });
});

/** An authorization request that names no scope of a server gets the one that every request to it needs (RFC 6749, 3.3). */
function withDefaultScope(target) {
  const url = new URL(target, issuer);
  const asked = url.searchParams.get('scope')?.split(' ') ?? [];
  if (url.pathname !== '/auth' || asked.some((scope) => SCOPES.includes(scope))) return target;
  url.searchParams.set('scope', [...asked, SCOPES[0]].join(' '));
  return url.pathname + url.search;
}

/** Shows the page, and takes what the person says there: who they are, and whether the client may do what it asks for. */
async function signIn(request, response) {
  const { params, session } = await provider.interactionDetails(request, response);
  const client = await provider.Client.find(params.client_id);
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page({ client: client.clientName, name: session?.accountId, ...params }));
    return;
  }
  const said = await readForm(request);
  const accountId = session?.accountId ?? said.get('name');
  if (!said.has('allow') || !accountId) {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
    return;
  }
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope('openid offline_access');
  if (params.resource) grant.addResourceScope(params.resource, params.scope ?? '');
  await provider.interactionFinished(request, response, {
    login: { accountId },
    consent: { grantId: await grant.save() },
  });
}

console.log(`The authorization server listens at ${issuer} (for development only; Ctrl+C ends it).`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
http.close();
http.closeAllConnections();
