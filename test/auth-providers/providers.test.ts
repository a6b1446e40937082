/** What the steps of the OAuth client make of well-known authorization servers: the page a person sees, or a broken rule. */

import { describe, expect, test } from 'vitest';
import { beginAuthorization } from '../../src/auth/client/authorization.ts';
import type { OAuthResponse } from '../../src/auth/client/exchange.ts';
import { registrationRequest } from '../../src/auth/client/registration.ts';
import { readResourceMetadata } from '../../src/auth/client/resource-metadata.ts';
import { firstScopes, withOfflineAccess } from '../../src/auth/client/scopes.ts';
import {
  readServerMetadata,
  requirePkce,
  type ServerMetadata,
  serverMetadataUrls,
} from '../../src/auth/client/server-metadata.ts';
import { PROVIDERS, type Provider } from './fixtures.ts';

const SERVER = new URL('https://mcp.example.com/mcp');
const METADATA_URL = 'https://client.example/client.json';
const REDIRECT_URI = 'http://127.0.0.1:33418/callback';

const served = (document: object | undefined): OAuthResponse => ({
  status: document ? 200 : 404,
  header: (name) => (name === 'content-type' && document ? 'application/json' : undefined),
  body: document ? JSON.stringify(document) : 'Not found',
});

/** As the MCP server says it. */
function issuerOf({ issuer }: Provider): { issuer: string; resource: string; scopes: readonly string[] } {
  const document = { resource: SERVER.href, authorization_servers: [issuer], scopes_supported: ['mcp'] };
  const { resource, authorizationServers, scopesSupported } = readResourceMetadata(SERVER, served(document));
  return { issuer: authorizationServers[0] ?? '', resource, scopes: firstScopes(undefined, scopesSupported) };
}

/** Asks one place after the other, as long as there is nothing. */
function metadataOf(issuer: string, { documents }: Provider, asked: string[]): ServerMetadata {
  const places = serverMetadataUrls(issuer).map(String);
  const place = places.find((url) => {
    asked.push(url);
    return documents[url] !== undefined;
  });
  return readServerMetadata(issuer, served(place === undefined ? undefined : documents[place]));
}

/** What a client does whose user has registered it nowhere. */
function clientIdAt(as: ServerMetadata, provider: Provider): string {
  if (provider.registration === 'pre-registered') return 'by-hand';
  if (as['client_id_metadata_document_supported'] === true) return METADATA_URL;
  const request = registrationRequest(as, {
    clientName: 'App',
    redirectUris: [REDIRECT_URI],
    applicationType: 'native',
    grantTypes: ['authorization_code', 'refresh_token'],
  });
  expect(JSON.parse(request.body ?? '')).toMatchObject({ token_endpoint_auth_method: provider.authMethod });
  return 'dynamic';
}

const CLIENT_IDS = new Map([
  ['pre-registered', 'by-hand'],
  ['metadata document', METADATA_URL],
  ['dynamic', 'dynamic'],
]);

describe('an MCP server with', () => {
  test.each(PROVIDERS.map((provider) => [provider.name, provider] as const))('%s', async (_, provider) => {
    const asked: string[] = [];
    const reach = async (): Promise<URL> => {
      const { issuer, resource, scopes } = issuerOf(provider);
      const as = metadataOf(issuer, provider, asked);
      requirePkce(as);
      const clientId = clientIdAt(as, provider);
      const options = { clientId, redirectUri: REDIRECT_URI, resource, scopes: withOfflineAccess(scopes, as) };
      return (await beginAuthorization(as, options)).url;
    };
    if (provider.broken) {
      const { code, message } = provider.broken;
      await expect(reach()).rejects.toMatchObject({ name: 'AuthError', code, message: expect.stringMatching(message) });
    } else {
      const url = await reach();
      expect(`${url.origin}${url.pathname}`).toBe(provider.authorize);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        response_type: 'code',
        client_id: CLIENT_IDS.get(provider.registration ?? ''),
        resource: 'https://mcp.example.com/mcp',
        scope: provider.scope,
        code_challenge_method: 'S256',
      });
    }
    expect(asked).toEqual(provider.asked);
  });
});
