/** Dynamic client registration (RFC 7591): a client introduces itself to an authorization server that never heard of it. */

import { AuthError } from '../errors.ts';
import { isAbsent } from './discovery.ts';
import type { OAuthRequest, OAuthResponse } from './exchange.ts';
import { answerIn, optionalString, secondsIn, stringIn } from './responses.ts';
import { endpointIn, type ServerMetadata } from './server-metadata.ts';
import { redirectUriFault } from './targets.ts';

/** How a client introduces itself. */
export interface RegistrationOptions {
  /** Shown to people when they are asked for consent. */
  readonly clientName: string;
  readonly redirectUris: readonly string[];
  /** `native` for what runs on a person's machine, `web` for what runs on a server. */
  readonly applicationType: 'native' | 'web';
  readonly grantTypes: readonly string[];
  /** A web page about it. */
  readonly clientUri?: string | undefined;
}

/** Who a client is at one authorization server. Secret, and can be kept as JSON. */
export interface Registration {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** In milliseconds since 1970; never, if it is not there. */
  readonly secretExpiresAt?: number;
  readonly authMethod?: string;
  /** As they were registered. */
  readonly redirectUris: readonly string[];
}

const WHO = 'The registration endpoint';
const ADVICE =
  'Register the client with the authorization server by hand and pass its "clientId", or use a client ID metadata document';
const NO_OAUTH =
  'The server does not say how to be let in: it has no metadata, and registers no clients. It may not use OAuth at all: ' +
  'if it wants a key, bearer() sends one, and so does the option "headers"';
const SECRETS = ['client_secret_basic', 'client_secret_post'];

/** A request to be registered. */
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

/** What came of it, if the server left the redirect URIs as they are. `as` is where it was asked for. */
export function readRegistration(
  response: OAuthResponse,
  redirectUris: readonly string[],
  as?: ServerMetadata,
): Registration {
  // Registrations are refused with 400: everything else was said by somebody who does not know what this is about.
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
  // Some name their default method, although they gave no secret for it.
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
