/** Enterprise-managed authorization: an identity provider turns a login into a grant for an authorization server (ID-JAG). */

import type { ClientIdentity } from './client-auth.ts';
import type { OAuthRequest, OAuthResponse } from './exchange.ts';
import { answerIn, invalidAnswer, secondsIn, stringIn } from './responses.ts';
import { parseScopes } from './scopes.ts';
import type { ServerMetadata } from './server-metadata.ts';
import { scopeParameter, tokenIn, tokenRequest } from './token.ts';

/** What is exchanged, and for what. */
export interface IdJagOptions {
  /** The issuer of the authorization server that the grant is for. */
  readonly audience: string;
  /** The MCP server that the token is to be for. */
  readonly resource: string;
  /** What the person's login gave: an ID token, or a SAML assertion. Secret. */
  readonly subjectToken: string;
  /** Default: an ID token. */
  readonly subjectTokenType?: string | undefined;
  readonly scopes: readonly string[];
}

/** A grant for an authorization server; `jwtBearerGrant` takes it there. Secret. */
export interface IdJag {
  readonly assertion: string;
  /** In milliseconds since 1970. */
  readonly expiresAt?: number;
  readonly scopes?: readonly string[];
}

/** The type of an ID token, as RFC 8693 names it. */
export const ID_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:id_token';
const ID_JAG_TYPE = 'urn:ietf:params:oauth:token-type:id-jag';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const WHO = "The identity provider's token endpoint";

/** The exchange (RFC 8693). The identity is the one that the identity provider knows the client by. */
export function idJagRequest(
  idp: ServerMetadata,
  identity: ClientIdentity,
  options: IdJagOptions,
): Promise<OAuthRequest> {
  const { audience, resource, subjectToken, subjectTokenType = ID_TOKEN_TYPE, scopes } = options;
  return tokenRequest(idp, identity, {
    grantType: TOKEN_EXCHANGE,
    parameters: {
      requested_token_type: ID_JAG_TYPE,
      audience,
      ...scopeParameter(scopes),
      subject_token: subjectToken,
      subject_token_type: subjectTokenType,
    },
    resource,
  });
}

/** The grant of an answer. It is no access token, whatever the field is called and whatever its type says. */
export function readIdJag(response: OAuthResponse, now: number): IdJag {
  const fields = answerIn(response, { who: WHO, statuses: [200], field: 'access_token' });
  if (stringIn(fields, 'issued_token_type', WHO) !== ID_JAG_TYPE) {
    throw invalidAnswer(WHO, `"issued_token_type" must be ${ID_JAG_TYPE}`);
  }
  const seconds = secondsIn(fields['expires_in']);
  const scopes = parseScopes(fields['scope']);
  return {
    assertion: tokenIn(fields, WHO),
    ...(seconds !== undefined && { expiresAt: now + seconds * 1000 }),
    ...(scopes && { scopes }),
  };
}
