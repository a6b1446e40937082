/** `enterpriseManaged()`: an organisation's identity provider decides who is let in, and nobody is asked (ID-JAG). */

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

/** Where people of an organisation sign in, and as whom the client is known there. */
export interface IdentityProvider {
  /** Exactly as it calls itself: its metadata is looked up. */
  readonly issuer?: string | undefined;
  /** Its token endpoint, in place of `issuer`. */
  readonly tokenEndpoint?: string | undefined;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: ClientPrivateKey | undefined;
}

/** Options of `enterpriseManaged`. */
export interface EnterpriseManagedOptions extends AuthOptions {
  /** The client as it was registered with the authorization server of the MCP server. */
  readonly clientId: string;
  /** Its secret there; needs `issuer`. */
  readonly clientSecret?: string | undefined;
  /** Its key there, in place of a secret. */
  readonly privateKey?: ClientPrivateKey | undefined;
  /** The authorization server of the MCP server, exactly as it calls itself; or `discovered`. */
  readonly issuer?: string | undefined;
  readonly identityProvider: IdentityProvider;
  /** The ID token that the person's login gave; asked for whenever tokens are needed. */
  readonly idToken: () => string | Promise<string>;
}

const WHO = 'enterpriseManaged';

/** Lets a client in with what a person's login at their organisation's identity provider is worth. */
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
  // Whoever configured it knows where it is, wherever the MCP server may be.
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
