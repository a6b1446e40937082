/** How the tests' authorization server is set up: the options of `oidc-provider`. */

import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import type { ClientMetadata, Configuration, JWK, ResourceServer } from 'oidc-provider';
import type { Memory } from './adapter.ts';

/** Options of `startAuthorizationServer`. */
export interface AuthorizationServerOptions {
  /** The scopes there are, or those of one resource. Default: `read` and `write`. */
  readonly scopes?: readonly string[] | ((resource: string) => readonly string[]);
  /** How long access tokens are good for. Can be changed later. Default: 3600. */
  readonly accessTokenSeconds?: number;
  /** Opaque ones can only be introspected. Default: `jwt`. */
  readonly tokens?: 'jwt' | 'opaque';
  /** Signs access tokens. Default: ES256, whose keys are made at once. */
  readonly algorithm?: 'ES256' | 'RS256';
  /** Who gets refresh tokens: every client that may, or who asks for `offline_access`. Default: `always`. */
  readonly refreshTokens?: 'always' | 'offline_access';
  /** Clients that need not register. */
  readonly clients?: readonly ClientMetadata[];
  /** True: proofs without a nonce of this server are sent back. */
  readonly requireDpopNonce?: boolean;
}

/** What can be changed while the server runs. */
export interface Policy {
  accessTokenSeconds: number;
}

const DAY = 24 * 60 * 60;

/** The options of the provider, with keys of its own. */
export async function providerOptions(
  options: AuthorizationServerOptions,
  policy: Policy,
  memory: Memory,
): Promise<Configuration> {
  const { algorithm = 'ES256', clients = [], refreshTokens = 'always', requireDpopNonce = false } = options;
  return {
    adapter: memory.adapter,
    clients: [...clients],
    clientDefaults: { id_token_signed_response_alg: algorithm },
    jwks: { keys: [await signingKey(algorithm)] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    issueRefreshToken: (_, client, source) =>
      client.grantTypeAllowed('refresh_token') && (refreshTokens === 'always' || source.scopes.has('offline_access')),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    clientBasedCORS: () => false,
    renderError: (ctx, { error, error_description }) => {
      ctx.body = `${error}: ${error_description}`;
    },
    features: {
      devInteractions: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (_, client) => client.clientAuthMethod !== 'none' },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => requireDpopNonce },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx, form, _, error) => {
          ctx.body = error ? `The device is not connected: ${error.message}` : form;
        },
        userCodeConfirmSource: (ctx, form) => {
          ctx.body = form;
        },
        successSource: (ctx) => {
          ctx.body = 'The device is connected';
        },
      },
      resourceIndicators: {
        enabled: true,
        // A token that was granted for a resource stays one for it.
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => resourceServer(resource, options, policy),
      },
    },
    // Its defaults would tell the console that they are defaults.
    ttl: {
      AccessToken: (_, { resourceServer: server }) => server?.accessTokenTTL ?? policy.accessTokenSeconds,
      ClientCredentials: (_, { resourceServer: server }) => server?.accessTokenTTL ?? policy.accessTokenSeconds,
      DeviceCode: 600,
      Grant: DAY,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: DAY,
      Session: DAY,
    },
  };
}

function resourceServer(resource: string, options: AuthorizationServerOptions, policy: Policy): ResourceServer {
  const { scopes = ['read', 'write'], tokens = 'jwt', algorithm = 'ES256' } = options;
  return {
    scope: (typeof scopes === 'function' ? scopes(resource) : scopes).join(' '),
    audience: resource,
    accessTokenTTL: policy.accessTokenSeconds,
    accessTokenFormat: tokens,
    ...(tokens === 'jwt' && { jwt: { sign: { alg: algorithm } } }),
  };
}

async function signingKey(algorithm: 'ES256' | 'RS256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const { kty = '', ...key } = await exportJWK(privateKey);
  return { ...key, kty, use: 'sig', alg: algorithm };
}
