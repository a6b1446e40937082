import { createRemoteJWKSet, decodeJwt, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import type { ClientMetadata } from 'oidc-provider';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';
import type { AuthorizationServerOptions } from './provider-options.ts';

const RESOURCE = 'http://127.0.0.1:9/mcp';
const CALLBACK = 'http://127.0.0.1:8/callback';
const insecure = { [oauth.allowInsecureRequests]: true };
const forResource = { ...insecure, additionalParameters: { resource: RESOURCE } };
const METHODS = ['log', 'info', 'warn', 'error'] as const;
const running: AuthorizationServer[] = [];

beforeEach(() => {
  for (const method of METHODS) vi.spyOn(console, method);
});

afterEach(async () => {
  for (const server of running.splice(0)) {
    await server.close();
    expect(server.faults).toEqual([]);
  }
  for (const method of METHODS) expect(console[method]).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

const EDITOR: oauth.Client = { client_id: 'editor' };
const editor: ClientMetadata = {
  client_id: 'editor',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
};
const robot: ClientMetadata = {
  client_id: 'robot',
  client_secret: 'a secret of the robot',
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
};

interface Started {
  readonly server: AuthorizationServer;
  readonly metadata: oauth.AuthorizationServer;
}

async function start(options: AuthorizationServerOptions = {}): Promise<Started> {
  const server = await startAuthorizationServer({ clients: [editor, robot], ...options });
  running.push(server);
  const issuer = new URL(server.issuer);
  const metadata = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  return { server, metadata };
}

/** Signs the person in; what comes back from that. */
async function callbackOf({ server, metadata }: Started, challenge: string): Promise<URL> {
  const url = new URL(metadata.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: 'editor',
    redirect_uri: CALLBACK,
    scope: 'read nobody-knows-this-one',
    state: 'the state',
    resource: RESOURCE,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }).toString();
  return server.signIn(url);
}

/** Signs the person in and gets tokens. */
async function signIn(started: Started, DPoP?: oauth.DPoPHandle): Promise<oauth.TokenEndpointResponse> {
  const { metadata } = started;
  const verifier = oauth.generateRandomCodeVerifier();
  const callback = await callbackOf(started, await oauth.calculatePKCECodeChallenge(verifier));
  const code = oauth.validateAuthResponse(metadata, EDITOR, callback, 'the state');
  const options = { ...forResource, ...(DPoP && { DPoP }) };
  const ask = async (): Promise<oauth.TokenEndpointResponse> => {
    const response = await oauth.authorizationCodeGrantRequest(
      metadata,
      EDITOR,
      oauth.None(),
      code,
      CALLBACK,
      verifier,
      options,
    );
    return oauth.processAuthorizationCodeResponse(metadata, EDITOR, response);
  };
  // The first answer may be that a nonce is needed, and which.
  return ask().catch((error: unknown) => (oauth.isDPoPNonceError(error) ? ask() : Promise.reject(error)));
}

async function refresh({ metadata }: Started, token = ''): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.refreshTokenGrantRequest(metadata, EDITOR, oauth.None(), token, forResource);
  return oauth.processRefreshTokenResponse(metadata, EDITOR, response);
}

test.for(['ES256', 'RS256'] as const)(
  'a code becomes an access token for one resource, signed with %s',
  async (alg) => {
    const started = await start({ algorithm: alg });
    const token = await signIn(started);
    const keys = createRemoteJWKSet(new URL(started.metadata.jwks_uri ?? ''));
    const { payload, protectedHeader } = await jwtVerify(token.access_token, keys, { audience: RESOURCE });
    expect(protectedHeader).toMatchObject({ alg, typ: 'at+jwt' });
    expect(payload).toMatchObject({ iss: started.server.issuer, sub: 'ada', client_id: 'editor', scope: 'read' });
  },
);

test('each refresh token is good for one use, and what came from it dies if it is used again', async () => {
  const started = await start();
  const first = await signIn(started);
  started.server.policy.accessTokenSeconds = 7;
  const second = await refresh(started, first.refresh_token);
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(second.expires_in).toBe(7);
  expect(decodeJwt(second.access_token).aud).toBe(RESOURCE);
  await expect(refresh(started, first.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
  await expect(refresh(started, second.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
  const requests = started.server.tokenRequests.map(({ grantType, status }) => `${grantType} ${status}`);
  expect(requests).toEqual(['authorization_code 200', 'refresh_token 200', 'refresh_token 400', 'refresh_token 400']);
});

test('it can forget refresh tokens, and be away for a while without forgetting anything', async () => {
  const started = await start();
  const { server } = started;
  const first = await signIn(started);
  await server.stop();
  await expect(refresh(started, first.refresh_token)).rejects.toThrow(TypeError);
  await server.start();
  const second = await refresh(started, first.refresh_token);
  server.forget('RefreshToken');
  await expect(refresh(started, second.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
});

test('a person may say no', async () => {
  const started = await start();
  started.server.person.answer = 'deny';
  const callback = await callbackOf(started, await oauth.calculatePKCECodeChallenge('x'.repeat(43)));
  expect(callback.searchParams.get('error')).toBe('access_denied');
  expect(callback.searchParams.get('iss')).toBe(started.server.issuer);
});

test('without PKCE there is no code', async () => {
  const { server, metadata } = await start();
  const query = `response_type=code&client_id=editor&state=s&redirect_uri=${encodeURIComponent(CALLBACK)}`;
  const callback = await server.signIn(`${metadata.authorization_endpoint}?${query}`);
  expect(callback.searchParams.get('error')).toBe('invalid_request');
});

test('clients may register, on this machine and on the web', async () => {
  const { server, metadata } = await start();
  for (const [application_type, uri] of [
    ['native', CALLBACK],
    ['web', 'https://client.example.com/callback'],
  ] as const) {
    const asked = { application_type, redirect_uris: [uri], token_endpoint_auth_method: 'none' };
    const response = await oauth.dynamicClientRegistrationRequest(metadata, asked, insecure);
    const client = await oauth.processDynamicClientRegistrationResponse(response);
    expect(server.registrations.at(-1)).toEqual({ clientId: client.client_id, applicationType: application_type });
  }
});

test.for(['allow', 'deny'] as const)('a device waits for what a person says to it: %s', async (answer) => {
  const { server, metadata } = await start();
  const parameters = { resource: RESOURCE, scope: 'read' };
  const asked = await oauth.deviceAuthorizationRequest(metadata, EDITOR, oauth.None(), parameters, insecure);
  const device = await oauth.processDeviceAuthorizationResponse(metadata, EDITOR, asked);
  const ask = async (): Promise<oauth.TokenEndpointResponse> => {
    const { device_code } = device;
    const response = await oauth.deviceCodeGrantRequest(metadata, EDITOR, oauth.None(), device_code, forResource);
    return oauth.processDeviceCodeResponse(metadata, EDITOR, response);
  };
  await expect(ask()).rejects.toMatchObject({ error: 'authorization_pending' });
  server.person.answer = answer;
  const page = await server.approveDevice(device.verification_uri_complete ?? '');
  expect(page).toContain(answer === 'allow' ? 'is connected' : 'is not connected');
  if (answer === 'deny') return expect(ask()).rejects.toMatchObject({ error: 'access_denied' });
  const token = await ask();
  expect(decodeJwt(token.access_token)).toMatchObject({ aud: RESOURCE, sub: 'ada', scope: 'read' });
  expect(token.refresh_token).toBeTypeOf('string');
});

test('a client gets tokens of its own for its secret or for a signature', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keyed: ClientMetadata = {
    ...robot,
    client_id: 'keyed',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kty: 'EC' }] },
  };
  const { server, metadata } = await start({ clients: [robot, keyed] });
  for (const [id, authentication] of [
    ['robot', oauth.ClientSecretBasic('a secret of the robot')],
    ['keyed', oauth.PrivateKeyJwt(privateKey)],
  ] as const) {
    const client = { client_id: id };
    const parameters = new URLSearchParams({ resource: RESOURCE, scope: 'read' });
    const response = await oauth.clientCredentialsGrantRequest(metadata, client, authentication, parameters, insecure);
    const token = await oauth.processClientCredentialsResponse(metadata, client, response);
    expect(decodeJwt(token.access_token)).toMatchObject({ aud: RESOURCE, client_id: id, scope: 'read' });
  }
  expect(server.tokenRequests).toMatchObject([
    { clientId: 'robot', grantType: 'client_credentials', clientAuthMethod: 'client_secret_basic', resource: RESOURCE },
    { clientId: 'keyed', grantType: 'client_credentials', clientAuthMethod: 'private_key_jwt', resource: RESOURCE },
  ]);
});

test.for([
  { requireDpopNonce: false, statuses: [200] },
  { requireDpopNonce: true, statuses: [400, 200] },
])('a token is bound to the key of a proof: %o', async ({ requireDpopNonce, statuses }) => {
  const started = await start({ requireDpopNonce });
  const proof = oauth.DPoP(EDITOR, await oauth.generateKeyPair('ES256'));
  const token = await signIn(started, proof);
  expect(token.token_type).toBe('dpop');
  expect(decodeJwt(token.access_token)).toHaveProperty('cnf.jkt', await proof.calculateThumbprint());
  expect(started.server.tokenRequests.map(({ status }) => status)).toEqual(statuses);
  expect(started.server.tokenRequests.every(({ hasProof }) => hasProof)).toBe(true);
});

test('an opaque token says nothing by itself, and everything when it is introspected', async () => {
  const started = await start({ tokens: 'opaque' });
  const { access_token } = await signIn(started);
  expect(access_token).not.toContain('.');
  const secret = oauth.ClientSecretBasic('a secret of the robot');
  const client = { client_id: 'robot' };
  const asked = await oauth.introspectionRequest(started.metadata, client, secret, access_token, insecure);
  const facts = await oauth.processIntrospectionResponse(started.metadata, client, asked);
  expect(facts).toMatchObject({ active: true, aud: RESOURCE, sub: 'ada', client_id: 'editor', scope: 'read' });
});
