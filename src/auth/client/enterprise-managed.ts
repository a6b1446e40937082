/** `enterpriseManaged()`: tokens by way of an organization's identity provider, without asking the user (ID-JAG). */

import type { ClientAuth } from '../../client/http-options.ts';
import { type AuthOptions, clientAuth, sessionOptions } from './auth.ts';
import { checkCredentials, checkFunction, checkText, checkUrl } from './checks.ts';
import type { ClientIdentity, ClientPrivateKey } from './client-auth.ts';
import { discoverIssuer } from './discovery.ts';
import type { GrantContext } from './grant.ts';
import { idJagRequest, readIdJag } from './id-jag.ts';
import { machineGrant } from './machine-grant.ts';
import type { ServerMetadata } from './server-metadata.ts';
import { type Entitlement, jwtBearerGrant } from './token.ts';

/** Identity provider of an organization, and the client's credentials there. */
export interface IdentityProvider {
  /** Issuer, exactly as in the metadata of the identity provider. Either `issuer` or `tokenEndpoint` is required. */
  readonly issuer?: string | undefined;
  /** Token endpoint of the identity provider, instead of `issuer`. */
  readonly tokenEndpoint?: string | undefined;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: ClientPrivateKey | undefined;
}

/** Options of `enterpriseManaged`. */
export interface EnterpriseManagedOptions extends AuthOptions {
  /** Client id at the authorization server of the MCP server. */
  readonly clientId: string;
  /** Client secret at the authorization server of the MCP server. Requires `issuer`. */
  readonly clientSecret?: string | undefined;
  /** Private key for the authorization server of the MCP server, instead of `clientSecret`. */
  readonly privateKey?: ClientPrivateKey | undefined;
  /** Issuer of the MCP server's authorization server, as in its metadata. `discovered`: any that the MCP server names. */
  readonly issuer?: string | undefined;
  readonly identityProvider: IdentityProvider;
  /** Returns the ID token of the user's login. Called whenever tokens are obtained. */
  readonly idToken: () => string | Promise<string>;
}

const WHO = 'enterpriseManaged';

/** Obtains tokens for a user who is logged in at the organization's identity provider, without asking the user (ID-JAG). */
export function enterpriseManaged(options: EnterpriseManagedOptions): ClientAuth {
  const { clientId, clientSecret, privateKey, issuer, identityProvider, idToken } = options;
  checkText(WHO, 'clientId', clientId);
  checkCredentials(WHO, options);
  checkFunction(WHO, 'idToken', idToken);
  checkText(WHO, 'identityProvider.clientId', identityProvider?.clientId);
  const { issuer: idpIssuer, tokenEndpoint } = identityProvider;
  if ((idpIssuer === undefined) === (tokenEndpoint === undefined)) {
    throw new TypeError(`${WHO}: "identityProvider" needs either "issuer" or "tokenEndpoint"`);
  }
  if (idpIssuer !== undefined) checkUrl(WHO, 'identityProvider.issuer', idpIssuer);
  else checkUrl(WHO, 'identityProvider.tokenEndpoint', tokenEndpoint);
  const identity = { clientId, clientSecret, privateKey };
  const entitle = (context: GrantContext): Promise<Entitlement> => exchange(context, identityProvider, idToken);
  return clientAuth(machineGrant({ issuer, identity, entitle }), sessionOptions(WHO, options));
}

async function exchange(
  { wire, found, scopes = [] }: GrantContext,
  provider: IdentityProvider,
  idToken: () => string | Promise<string>,
): Promise<Entitlement> {
  // The identity provider is configured, so it may be in a private network even if the MCP server is public.
  const trusting = wire.trusting(provider.issuer ?? provider.tokenEndpoint);
  const idp = await metadataOf(provider, (issuer) => discoverIssuer(trusting, issuer));
  const { clientId, clientSecret, privateKey } = provider;
  const identity: ClientIdentity = { clientId, clientSecret, privateKey };
  const [audience, { resource }] = [found.as.issuer, found];
  const subjectToken = await idToken();
  checkText(WHO, 'idToken', subjectToken);
  const request = await idJagRequest(idp, identity, { audience, resource, subjectToken, scopes });
  const { assertion, scopes: granted } = await trusting.post('identity assertion', request, (response) =>
    readIdJag(response, Date.now()),
  );
  return jwtBearerGrant(assertion, granted ?? scopes);
}

async function metadataOf(
  { issuer, tokenEndpoint }: IdentityProvider,
  find: (issuer: string) => Promise<ServerMetadata>,
): Promise<ServerMetadata> {
  if (issuer !== undefined) return find(issuer);
  return { issuer: new URL(tokenEndpoint ?? '').origin, token_endpoint: tokenEndpoint ?? '' };
}
