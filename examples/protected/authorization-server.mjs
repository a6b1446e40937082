/**
 * An authorization server for trying things out: anybody signs in, under any name, without a password, and everything is
 * forgotten when it ends. `node authorization-server.mjs [--port 4000]`
 */

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
    // Clients that nobody knows may register.
    registration: { enabled: true },
    resourceIndicators: { enabled: true, getResourceServerInfo: (_, resource) => resourceServer(resource) },
  },
  pkce: { required: () => true },
  issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  findAccount: (_, name) => ({ accountId: name, claims: () => ({ sub: name }) }),
  interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
});

// Access tokens are for one server only, the one that was named as the resource, and say so.
function resourceServer(resource) {
  return {
    scope: 'notes:read notes:write',
    audience: resource,
    accessTokenTTL: 5 * 60,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  };
}

const answer = provider.callback();
http.on('request', (request, response) => {
  const answered = request.url.startsWith('/sign-in/') ? signIn(request, response) : answer(request, response);
  answered.catch((error) => {
    console.error(printable(String(error)));
    response.destroy();
  });
});

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
