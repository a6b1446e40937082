/** Being let in: every way of getting tokens that the suite has an authorization server for. */

import {
  AuthError,
  clientCredentials,
  enterpriseManaged,
  type OAuthOptions,
  oauth,
  workloadIdentity,
} from 'mcpp/auth/client';
import { type ClientAuth, connect } from 'mcpp/client';
import type { Scenario } from './scenario.ts';

type Context = Readonly<Record<string, unknown>>;

const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** The suite's authorization servers agree to everything, and send nobody's browser anywhere. */
async function agree(url: URL): Promise<URL> {
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '', url);
}

const person: OAuthOptions = {
  clientName: 'mcpp conformance',
  redirectUri: 'http://localhost:3000/callback',
  authorize: agree,
};

async function useTool(url: string, auth: ClientAuth): Promise<void> {
  const mcp = await connect(url, { auth });
  await mcp.listTools();
  await mcp.callTool('test-tool');
  await mcp.close();
}

const using =
  (options: OAuthOptions = {}): Scenario =>
  (url) =>
    useTool(url, oauth({ ...person, ...options }));

/** The flow has to stop for this reason. */
const refusing =
  (code: string): Scenario =>
  async (url) => {
    const outcome = await useTool(url, oauth(person)).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (outcome instanceof AuthError && outcome.code === code) return;
    throw new Error(`The flow should have stopped with "${code}"`, { cause: outcome });
  };

async function usePreRegistered(url: string, context: Context): Promise<void> {
  const { client_id, client_secret, issuer } = context as Record<string, string>;
  await useTool(url, oauth({ ...person, clientId: client_id, clientSecret: client_secret, issuer }));
}

async function useSecret(url: string, context: Context): Promise<void> {
  const { client_id = '', client_secret = '' } = context as Record<string, string>;
  await useTool(url, clientCredentials({ clientId: client_id, clientSecret: client_secret, issuer: 'discovered' }));
}

async function useKey(url: string, context: Context): Promise<void> {
  const { client_id = '', private_key_pem = '', signing_algorithm = '' } = context as Record<string, string>;
  const privateKey = { key: private_key_pem, alg: signing_algorithm };
  await useTool(url, clientCredentials({ clientId: client_id, privateKey }));
}

async function useEnterprise(url: string, context: Context): Promise<void> {
  const given = context as Record<string, string>;
  const { client_id = '', client_secret = '', idp_client_id = '', idp_id_token = '', idp_token_endpoint = '' } = given;
  await useTool(
    url,
    enterpriseManaged({
      clientId: client_id,
      clientSecret: client_secret,
      issuer: 'discovered',
      identityProvider: { tokenEndpoint: idp_token_endpoint, clientId: idp_client_id },
      idToken: () => idp_id_token,
    }),
  );
}

async function useWorkload(url: string, context: Context): Promise<void> {
  const { client_id = '', valid_jwt = '' } = context as Record<string, string>;
  await useTool(url, workloadIdentity({ clientId: client_id, issuer: 'discovered', assertion: () => valid_jwt }));
}

const all = (scenario: Scenario, ...names: readonly string[]): (readonly [string, Scenario])[] =>
  names.map((name) => [`auth/${name}`, scenario]);

/** The scenarios, by name. */
export const auth: ReadonlyMap<string, Scenario> = new Map([
  ...all(
    using(),
    'metadata-default',
    'metadata-var1',
    'metadata-var2',
    'metadata-var3',
    'scope-from-www-authenticate',
    'scope-from-scopes-supported',
    'scope-omitted-when-undefined',
    'scope-step-up',
    'token-endpoint-auth-basic',
    'token-endpoint-auth-post',
    'token-endpoint-auth-none',
    'offline-access-not-supported',
    'authorization-server-migration',
    'iss-supported',
    'iss-not-advertised',
    'dpop',
    'dpop-nonce',
    '2025-03-26-oauth-metadata-backcompat',
    '2025-03-26-oauth-endpoint-fallback',
  ),
  ...all(using({ clientMetadataUrl: CLIENT_METADATA_URL }), 'basic-cimd', 'offline-access-scope'),
  ...all(refusing('insufficient_scope'), 'scope-retry-limit'),
  ...all(refusing('resource_mismatch'), 'resource-mismatch'),
  ...all(refusing('issuer_mismatch'), 'iss-supported-missing', 'iss-wrong-issuer', 'iss-unexpected', 'iss-normalized'),
  ...all(refusing('issuer_mismatch'), 'metadata-issuer-mismatch'),
  ...all(usePreRegistered, 'pre-registration'),
  ...all(useSecret, 'client-credentials-basic'),
  ...all(useKey, 'client-credentials-jwt'),
  ...all(useEnterprise, 'enterprise-managed-authorization'),
  ...all(useWorkload, 'wif-jwt-bearer'),
]);
