/** Options that are wrong: told when they are given, with their name, and without what was in them. */

import {
  bearer,
  type ClientCredentialsOptions,
  clientCredentials,
  type DeviceCodeOptions,
  deviceCode,
  type EnterpriseManagedOptions,
  enterpriseManaged,
  memoryStore,
  type OAuthOptions,
  oauth,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from 'mcpp/auth/client';
import { connect } from 'mcpp/client';
import { expect, test } from 'vitest';
import { AS, MCP, REDIRECT } from './world.ts';

type Wrong<T> = { readonly [K in keyof T]?: unknown };

/** What is thrown for these; the types forbid them, and not everybody has types. */
function thrownBy<T>(make: (options: T) => unknown, options: Wrong<T>): unknown {
  try {
    return make(options as T);
  } catch (error) {
    return error;
  }
}

const authorize = async () => undefined;
const key = { key: { kty: 'EC', d: 'hush-hush' } };

test.each<[string, Wrong<OAuthOptions>]>([
  ['"clientSecret" needs "clientId"', { clientSecret: 'hush-hush', issuer: AS }],
  ['"clientSecret" needs "issuer"', { clientId: 'c', clientSecret: 'hush-hush' }],
  ['"clientId" must be a string', { clientId: '' }],
  ['"clientSecret" must be a string', { clientId: 'c', clientSecret: '', issuer: AS }],
  ['"privateKey" needs "clientId"', { privateKey: key }],
  ['"issuer" must be', { issuer: 'auth.example.com' }],
  ['"issuer" must be', { issuer: `${AS}?tenant=hush-hush` }],
  ['"issuer" must be', { issuer: new URL(AS) }],
  ['"clientMetadataUrl" must be', { clientMetadataUrl: 'https://app.example.com/' }],
  ['"clientMetadataUrl" must be', { clientMetadataUrl: 'http://app.example.com/client.json' }],
  ['"clientMetadataUrl" must be', { clientMetadataUrl: 'https://u:hush-hush@app.example.com/client.json' }],
  ['"authorize" must be a function', { authorize: 'https://app.example.com', redirectUri: REDIRECT }],
  ['"redirectUri" must be a string', { authorize }],
  ['"redirectUri"', { authorize, redirectUri: 'nowhere' }],
  ['"redirectUri"', { redirectUri: 'http://app.example.com/callback' }],
  ['"redirectUri"', { redirectUri: `${REDIRECT}#hush-hush` }],
  ['"onUrl" must be a function', { onUrl: 'x' }],
  ['"scopes" must be an array', { scopes: 'read write' }],
  ['"scopes" must be an array', { scopes: ['read write'] }],
  ['"scopes" must be an array', { scopes: [5] }],
  ['"dpop" must be', { dpop: 'yes' }],
  ['"fetch" must be a function', { fetch: {} }],
  ['"store" must be a store', { store: {} }],
  ['"store" must be a store', { store: null }],
  ['"store" must be a store', { store: { ...memoryStore(), exclusive: undefined } }],
])('oauth: %s', (text, options) => {
  const error = thrownBy(oauth, options);
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toMatch(/^oauth: "/);
  expect((error as Error).message).toContain(text);
  expect((error as Error).message).not.toContain('hush-hush');
});

test.each<[string, Wrong<ClientCredentialsOptions>]>([
  ['clientCredentials: "clientId" must be', { clientSecret: 'hush-hush', issuer: AS }],
  ['clientCredentials: "clientSecret" needs "issuer"', { clientId: 'c', clientSecret: 'hush-hush' }],
  ['clientCredentials needs either "clientSecret" or "privateKey"', { clientId: 'c' }],
  [
    'clientCredentials needs either "clientSecret" or "privateKey"',
    { clientId: 'c', clientSecret: 'hush-hush', privateKey: key, issuer: AS },
  ],
  ['clientCredentials: "scopes"', { clientId: 'c', privateKey: key, scopes: 'all' }],
])('%s', (text, options) => {
  expect(thrownBy(clientCredentials, options)).toEqual(
    new TypeError((thrownBy(clientCredentials, options) as Error).message),
  );
  expect(String(thrownBy(clientCredentials, options))).toContain(text);
});

test.each<[string, Wrong<DeviceCodeOptions>]>([
  ['deviceCode: "onCode" must be a function', {}],
  ['deviceCode: "clientSecret" needs "issuer"', { onCode: authorize, clientId: 'c', clientSecret: 'hush-hush' }],
  ['deviceCode: "clientMetadataUrl" must be', { onCode: authorize, clientMetadataUrl: 'client.json' }],
  ['deviceCode: "dpop" must be', { onCode: authorize, dpop: 1 }],
])('%s', (text, options) => {
  expect(String(thrownBy(deviceCode, options))).toContain(`TypeError: ${text}`);
});

const provider = { clientId: 'p', issuer: 'https://idp.example.com' };
const managed = { clientId: 'c', idToken: () => 'x', identityProvider: provider };

test.each<[string, Wrong<EnterpriseManagedOptions>]>([
  ['"clientId" must be', { ...managed, clientId: undefined }],
  ['"idToken" must be a function', { ...managed, idToken: 'hush-hush' }],
  ['"identityProvider.clientId" must be', { ...managed, identityProvider: undefined }],
  ['"identityProvider.clientId" must be', { ...managed, identityProvider: { ...provider, clientId: '' } }],
  ['"identityProvider" needs either', { ...managed, identityProvider: { clientId: 'p' } }],
  ['"identityProvider" needs either', { ...managed, identityProvider: { ...provider, tokenEndpoint: AS } }],
  ['"identityProvider.issuer" must be', { ...managed, identityProvider: { clientId: 'p', issuer: 'idp' } }],
  [
    '"identityProvider.tokenEndpoint" must be',
    { ...managed, identityProvider: { clientId: 'p', tokenEndpoint: '/x' } },
  ],
  ['"store" must be', { ...managed, store: 'memory' }],
])('enterpriseManaged: %s', (text, options) => {
  const error = String(thrownBy(enterpriseManaged, options));
  expect(error).toContain(`TypeError: enterpriseManaged: ${text}`);
  expect(error).not.toContain('hush-hush');
});

test.each<[string, Wrong<WorkloadIdentityOptions>]>([
  ['"clientId" must be', { assertion: authorize }],
  ['"assertion" must be a function', { clientId: 'c', assertion: 'hush-hush' }],
  ['"issuer" must be', { clientId: 'c', assertion: authorize, issuer: 'x' }],
  ['"fetch" must be', { clientId: 'c', assertion: authorize, fetch: 'x' }],
])('workloadIdentity: %s', (text, options) => {
  expect(String(thrownBy(workloadIdentity, options))).toContain(`TypeError: workloadIdentity: ${text}`);
});

test('what is right is taken, down to nothing at all', () => {
  expect(() => oauth()).not.toThrow();
  expect(() => oauth({ clientId: 'c', clientSecret: 's', issuer: 'discovered' })).not.toThrow();
  expect(() => oauth({ scopes: [], dpop: 'auto', store: memoryStore(), fetch, redirectUri: REDIRECT })).not.toThrow();
  expect(() =>
    oauth({ clientMetadataUrl: 'https://app.example.com/c.json', privateKey: { key: { kty: 'EC' } } }),
  ).not.toThrow();
  expect(() => clientCredentials({ clientId: 'c', privateKey: { key: 'pem', alg: 'ES256' } })).not.toThrow();
});

test('what is no such thing is not taken for "auth"', async () => {
  for (const auth of [{}, 'token', null]) {
    await expect(connect(MCP, { auth: auth as never })).rejects.toThrow(/"auth" must be what oauth\(\)/);
  }
  expect(() => bearer('hush hush')).toThrow(/^(?!.*hush).*$/);
});
