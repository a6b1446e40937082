/** Dynamic client registration (RFC 7591). */

import { AuthError } from '../errors.ts';
import { isAbsent } from './discovery.ts';
import type { OAuthRequest, OAuthResponse } from './exchange.ts';
import { answerIn, optionalString, secondsIn, stringIn } from './responses.ts';
import { endpointIn, type ServerMetadata } from './server-metadata.ts';
import { redirectUriFault } from './targets.ts';

export interface RegistrationOptions {
  /** Client name that users see on the consent page. */
  readonly clientName: string;
  readonly redirectUris: readonly string[];
  /** `native` for programs on the user's machine, `web` for programs on a server. */
  readonly applicationType: 'native' | 'web';
  readonly grantTypes: readonly string[];
  /** URL of a web page about the client. */
  readonly clientUri?: string | undefined;
}

/** Identity of a registered client. Secret. Can be stored as JSON. */
export interface Registration {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Expiry of the secret in milliseconds since 1970; undefined if it does not expire. */
  readonly secretExpiresAt?: number;
  readonly authMethod?: string;
  readonly redirectUris: readonly string[];
}

const WHO = 'The registration endpoint';
const ADVICE =
  'Register the client with the authorization server by hand and pass its "clientId", or use a client ID metadata document';
const NO_OAUTH =
  'The server does not say how to be let in: it has no metadata, and registers no clients. It may not use OAuth at all: ' +
  'if it wants a key, bearer() sends one, and so does the option "headers"';
const SECRETS = ['client_secret_basic', 'client_secret_post'];

/** Builds a registration request. Throws an `AuthError` if a redirect URI is not allowed. */
export function registrationRequest(as: ServerMetadata, options: RegistrationOptions): OAuthRequest {
  const { redirectUris, grantTypes } = options;
  for (const uri of redirectUris) {
    const fault = redirectUriFault(uri);
    if (fault !== undefined) throw new AuthError('invalid_redirect_uri', `A redirect URI cannot be used: ${fault}`);
  }
  const metadata = {
    client_name: options.clientName,
    redirect_uris: redirectUris,
    application_type: options.applicationType,
    grant_types: grantTypes,
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: authMethodFor(as),
    client_uri: options.clientUri,
  };
  return {
    method: 'POST',
    url: endpointIn(as, 'registration_endpoint'),
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  };
}

/** Parses the response of the registration endpoint in `as`. Throws an `AuthError` if the server changed the redirect URIs. */
export function readRegistration(
  response: OAuthResponse,
  redirectUris: readonly string[],
  as?: ServerMetadata,
): Registration {
  // Registration endpoints refuse with 400. Another 4xx at an assumed endpoint means that the server does not support OAuth.
  if (as?.isFallback && response.status !== 400 && isAbsent(response))
    throw new AuthError('oauth_unsupported', NO_OAUTH);
  const fields = answerIn(response, { who: WHO, statuses: [201, 200], field: 'client_id', advice: ADVICE });
  const registered = fields['redirect_uris'];
  const isSame =
    registered == null || (Array.isArray(registered) && redirectUris.every((uri) => registered.includes(uri)));
  if (!isSame) {
    throw new AuthError(
      'invalid_redirect_uri',
      `${WHO} registered other redirect URIs than it was asked to. ${ADVICE}`,
    );
  }
  const clientSecret = optionalString(fields, 'client_secret');
  const secretExpires = secondsIn(fields['client_secret_expires_at']);
  const authMethod = optionalString(fields, 'token_endpoint_auth_method');
  // Some servers return their default authentication method, but no secret for it.
  const isVain = clientSecret === undefined && SECRETS.includes(authMethod ?? '');
  return {
    clientId: stringIn(fields, 'client_id', WHO),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(clientSecret !== undefined && secretExpires && { secretExpiresAt: secretExpires * 1000 }),
    ...(authMethod !== undefined && !isVain && { authMethod }),
    redirectUris,
  };
}

function authMethodFor({ token_endpoint_auth_methods_supported: taken }: ServerMetadata): string {
  if (!taken || taken.includes('none')) return 'none';
  const method = SECRETS.find((one) => taken.includes(one));
  if (method !== undefined) return method;
  throw new AuthError(
    'client_auth_unsupported',
    `The authorization server takes neither public clients nor client secrets, so nobody can register by itself. ${ADVICE}`,
  );
}
