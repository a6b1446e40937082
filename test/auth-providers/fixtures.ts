/**
 * What well-known authorization servers publish. Written by hand from their public documentation, not recorded: what
 * matters is the shape, that is, which issuer, at which place, with which of the fields that a client decides by.
 */

/** One provider, and what comes of connecting to an MCP server that names it. */
export interface Provider {
  readonly name: string;
  /** As the MCP server names it in `authorization_servers`. */
  readonly issuer: string;
  /** What is served, by URL; everywhere else is 404. */
  readonly documents: Readonly<Record<string, object>>;
  /** The places that are asked, in order. */
  readonly asked: readonly string[];
  /** How the client comes by an id. */
  readonly registration?: 'pre-registered' | 'metadata document' | 'dynamic';
  /** What a client that registers by itself asks to authenticate with. */
  readonly authMethod?: string;
  /** Where the browser is sent. */
  readonly authorize?: string;
  /** What is asked for; the MCP server wants `mcp`. */
  readonly scope?: string;
  /** Which rule is broken, if it does not come so far. */
  readonly broken?: { readonly code: string; readonly message: RegExp };
}

const OIDC = '.well-known/openid-configuration';
const OAUTH = '.well-known/oauth-authorization-server';
const TENANT = '11111111-2222-3333-4444-555555555555';
const ENTRA = `https://login.microsoftonline.com/${TENANT}`;

const entraDocument = {
  issuer: `${ENTRA}/v2.0`,
  authorization_endpoint: `${ENTRA}/oauth2/v2.0/authorize`,
  token_endpoint: `${ENTRA}/oauth2/v2.0/token`,
  device_authorization_endpoint: `${ENTRA}/oauth2/v2.0/devicecode`,
  token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
  response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
  scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
};
const entraPlaces = (path: string): string[] => [
  `https://login.microsoftonline.com/${OAUTH}/${path}`,
  `https://login.microsoftonline.com/${OIDC}/${path}`,
  `https://login.microsoftonline.com/${path}/${OIDC}`,
];

const auth0Document = {
  issuer: 'https://acme.us.auth0.com/',
  authorization_endpoint: 'https://acme.us.auth0.com/authorize',
  token_endpoint: 'https://acme.us.auth0.com/oauth/token',
  device_authorization_endpoint: 'https://acme.us.auth0.com/oauth/device/code',
  registration_endpoint: 'https://acme.us.auth0.com/oidc/register',
  scopes_supported: ['openid', 'profile', 'offline_access', 'email'],
  code_challenge_methods_supported: ['S256', 'plain'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
};
const auth0Places = [`https://acme.us.auth0.com/${OAUTH}`, `https://acme.us.auth0.com/${OIDC}`];

/** The providers. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: 'Entra ID: has PKCE, but does not say so',
    issuer: `${ENTRA}/v2.0`,
    documents: { [`${ENTRA}/v2.0/${OIDC}`]: entraDocument },
    asked: entraPlaces(`${TENANT}/v2.0`),
    broken: { code: 'pkce_unsupported', message: /has no "code_challenge_methods_supported"/ },
  },
  {
    name: 'Entra ID for all tenants: names an issuer that is a template',
    issuer: 'https://login.microsoftonline.com/common/v2.0',
    documents: {
      [`https://login.microsoftonline.com/common/v2.0/${OIDC}`]: {
        ...entraDocument,
        issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
      },
    },
    asked: entraPlaces('common/v2.0'),
    broken: { code: 'issuer_mismatch', message: /another issuer than the one it was asked for$/ },
  },
  {
    name: 'Okta: a server of its own below a path; registration is for administrators',
    issuer: 'https://acme.okta.com/oauth2/default',
    documents: {
      [`https://acme.okta.com/oauth2/default/${OIDC}`]: {
        issuer: 'https://acme.okta.com/oauth2/default',
        authorization_endpoint: 'https://acme.okta.com/oauth2/default/v1/authorize',
        token_endpoint: 'https://acme.okta.com/oauth2/default/v1/token',
        registration_endpoint: 'https://acme.okta.com/oauth2/v1/clients',
        device_authorization_endpoint: 'https://acme.okta.com/oauth2/default/v1/device/authorize',
        scopes_supported: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'device_sso'],
        token_endpoint_auth_methods_supported: [
          'client_secret_basic',
          'client_secret_post',
          'client_secret_jwt',
          'private_key_jwt',
          'none',
        ],
        code_challenge_methods_supported: ['S256'],
        dpop_signing_alg_values_supported: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'],
      },
    },
    asked: [
      `https://acme.okta.com/${OAUTH}/oauth2/default`,
      `https://acme.okta.com/${OIDC}/oauth2/default`,
      `https://acme.okta.com/oauth2/default/${OIDC}`,
    ],
    registration: 'pre-registered',
    authorize: 'https://acme.okta.com/oauth2/default/v1/authorize',
    scope: 'mcp offline_access',
  },
  {
    name: 'Auth0: the issuer ends with a slash',
    issuer: 'https://acme.us.auth0.com/',
    documents: { [auth0Places[1] ?? '']: auth0Document },
    asked: auth0Places,
    registration: 'dynamic',
    authMethod: 'client_secret_basic',
    authorize: 'https://acme.us.auth0.com/authorize',
    scope: 'mcp offline_access',
  },
  {
    name: 'Auth0, named without the slash',
    issuer: 'https://acme.us.auth0.com',
    documents: { [auth0Places[1] ?? '']: auth0Document },
    asked: auth0Places,
    broken: { code: 'issuer_mismatch', message: /Only the slash at the end differs/ },
  },
  {
    name: 'Keycloak: no public clients in its list, iss in every answer',
    issuer: 'https://id.example.com/realms/acme',
    documents: {
      [`https://id.example.com/realms/acme/${OIDC}`]: {
        issuer: 'https://id.example.com/realms/acme',
        authorization_endpoint: 'https://id.example.com/realms/acme/protocol/openid-connect/auth',
        token_endpoint: 'https://id.example.com/realms/acme/protocol/openid-connect/token',
        device_authorization_endpoint: 'https://id.example.com/realms/acme/protocol/openid-connect/auth/device',
        registration_endpoint: 'https://id.example.com/realms/acme/clients-registrations/openid-connect',
        scopes_supported: ['openid', 'offline_access', 'profile', 'email', 'roles'],
        code_challenge_methods_supported: ['plain', 'S256'],
        token_endpoint_auth_methods_supported: [
          'private_key_jwt',
          'client_secret_basic',
          'client_secret_post',
          'tls_client_auth',
          'client_secret_jwt',
        ],
        authorization_response_iss_parameter_supported: true,
        require_pushed_authorization_requests: false,
      },
    },
    asked: [
      `https://id.example.com/${OAUTH}/realms/acme`,
      `https://id.example.com/${OIDC}/realms/acme`,
      `https://id.example.com/realms/acme/${OIDC}`,
    ],
    registration: 'dynamic',
    authMethod: 'client_secret_basic',
    authorize: 'https://id.example.com/realms/acme/protocol/openid-connect/auth',
    scope: 'mcp offline_access',
  },
  {
    name: 'GitHub: metadata between host and path, nobody registers by itself',
    issuer: 'https://github.com/login/oauth',
    documents: {
      [`https://github.com/${OAUTH}/login/oauth`]: {
        issuer: 'https://github.com/login/oauth',
        authorization_endpoint: 'https://github.com/login/oauth/authorize',
        token_endpoint: 'https://github.com/login/oauth/access_token',
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
      },
    },
    asked: [`https://github.com/${OAUTH}/login/oauth`],
    registration: 'pre-registered',
    authorize: 'https://github.com/login/oauth/authorize',
    scope: 'mcp',
  },
  {
    name: 'GitHub Enterprise Server: publishes nothing',
    issuer: 'https://github.example.com/login/oauth',
    documents: {},
    asked: [
      `https://github.example.com/${OAUTH}/login/oauth`,
      `https://github.example.com/${OIDC}/login/oauth`,
      `https://github.example.com/login/oauth/${OIDC}`,
    ],
    broken: { code: 'unexpected_status', message: /metadata answered status 404 instead of 200/ },
  },
  {
    name: 'WorkOS AuthKit: client ID metadata documents',
    issuer: 'https://acme.authkit.app',
    documents: {
      [`https://acme.authkit.app/${OAUTH}`]: {
        issuer: 'https://acme.authkit.app',
        authorization_endpoint: 'https://acme.authkit.app/oauth2/authorize',
        token_endpoint: 'https://acme.authkit.app/oauth2/token',
        registration_endpoint: 'https://acme.authkit.app/oauth2/register',
        device_authorization_endpoint: 'https://acme.authkit.app/oauth2/device_authorization',
        scopes_supported: ['email', 'offline_access', 'openid', 'profile'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
        client_id_metadata_document_supported: true,
      },
    },
    asked: [`https://acme.authkit.app/${OAUTH}`],
    registration: 'metadata document',
    authorize: 'https://acme.authkit.app/oauth2/authorize',
    scope: 'mcp offline_access',
  },
  {
    name: 'Cloudflare workers-oauth-provider: the MCP server is its own authorization server',
    issuer: 'https://mcp.example.com',
    documents: {
      [`https://mcp.example.com/${OAUTH}`]: {
        issuer: 'https://mcp.example.com',
        authorization_endpoint: 'https://mcp.example.com/authorize',
        token_endpoint: 'https://mcp.example.com/token',
        registration_endpoint: 'https://mcp.example.com/register',
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        revocation_endpoint: 'https://mcp.example.com/token',
        code_challenge_methods_supported: ['plain', 'S256'],
      },
    },
    asked: [`https://mcp.example.com/${OAUTH}`],
    registration: 'dynamic',
    authMethod: 'none',
    authorize: 'https://mcp.example.com/authorize',
    scope: 'mcp',
  },
  {
    name: 'Clerk: an issuer per application',
    issuer: 'https://verb-noun-00.clerk.accounts.dev',
    documents: {
      [`https://verb-noun-00.clerk.accounts.dev/${OAUTH}`]: {
        issuer: 'https://verb-noun-00.clerk.accounts.dev',
        authorization_endpoint: 'https://verb-noun-00.clerk.accounts.dev/oauth/authorize',
        token_endpoint: 'https://verb-noun-00.clerk.accounts.dev/oauth/token',
        registration_endpoint: 'https://verb-noun-00.clerk.accounts.dev/oauth/register',
        scopes_supported: ['openid', 'profile', 'email', 'public_metadata', 'private_metadata'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'none', 'client_secret_post'],
        code_challenge_methods_supported: ['S256'],
      },
    },
    asked: [`https://verb-noun-00.clerk.accounts.dev/${OAUTH}`],
    registration: 'dynamic',
    authMethod: 'none',
    authorize: 'https://verb-noun-00.clerk.accounts.dev/oauth/authorize',
    scope: 'mcp',
  },
];
