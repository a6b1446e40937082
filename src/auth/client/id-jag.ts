/** ID-JAG (Identity Assertion JWT Authorization Grant): exchanges a user's login for a grant at an authorization server. */

import type { ClientIdentity } from './client-auth.ts';
import type { OAuthRequest, OAuthResponse } from './exchange.ts';
import { answerIn, invalidAnswer, secondsIn, stringIn } from './responses.ts';
import { parseScopes } from './scopes.ts';
import type { ServerMetadata } from './server-metadata.ts';
import { scopeParameter, tokenIn, tokenRequest } from './token.ts';

/** Parameters of the token exchange request. */
export interface IdJagOptions {
  /** Issuer of the authorization server that will accept the ID-JAG. */
  readonly audience: string;
  /** Resource indicator of the MCP server (RFC 8707). */
  readonly resource: string;
  /** ID token or SAML assertion of the user's login. Secret. */
  readonly subjectToken: string;
  /** Token type URI of `subjectToken`. Default: that of an ID token. */
  readonly subjectTokenType?: string | undefined;
  readonly scopes: readonly string[];
}

/** An ID-JAG, which `jwtBearerGrant` exchanges for an access token. Secret. */
export interface IdJag {
  readonly assertion: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  readonly scopes?: readonly string[];
}

/** Token type URI of ID tokens (RFC 8693, section 3). */
export const ID_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:id_token';
const ID_JAG_TYPE = 'urn:ietf:params:oauth:token-type:id-jag';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const WHO = "The identity provider's token endpoint";

/** Builds the token exchange request (RFC 8693). `identity` is the client's identity at the identity provider. */
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

/** Returns the ID-JAG of a token exchange response. RFC 8693 calls the field `access_token`, whatever the token's type. */
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
