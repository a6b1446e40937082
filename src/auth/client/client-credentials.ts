/** `clientCredentials()`: tokens for the client itself, by the client credentials grant (RFC 6749, section 4.4). */

import type { ClientAuth } from '../../client/http-options.ts';
import { type AuthOptions, clientAuth, sessionOptions } from './auth.ts';
import { checkCredentials, checkText } from './checks.ts';
import type { ClientPrivateKey } from './client-auth.ts';
import { machineGrant } from './machine-grant.ts';
import { clientCredentialsGrant } from './token.ts';

/** Options of `clientCredentials`. */
export interface ClientCredentialsOptions extends AuthOptions {
  /** Client id, as registered with the authorization server. */
  readonly clientId: string;
  /** Client secret. Requires `issuer`. */
  readonly clientSecret?: string | undefined;
  /** Private key, instead of a secret. Recommended, because the key never leaves the client. */
  readonly privateKey?: ClientPrivateKey | undefined;
  /**
   * Issuer of the authorization server that `clientId` is registered with, exactly as in its metadata. With `discovered`, any
   * authorization server that the MCP server names gets the credentials.
   */
  readonly issuer?: string | undefined;
}

/** Obtains tokens for the client itself, without a user (OAuth client credentials grant). */
export function clientCredentials(options: ClientCredentialsOptions): ClientAuth {
  const { clientId, clientSecret, privateKey, issuer } = options;
  checkText('clientCredentials', 'clientId', clientId);
  checkCredentials('clientCredentials', options);
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    throw new TypeError('clientCredentials needs either "clientSecret" or "privateKey"');
  }
  const identity = { clientId, clientSecret, privateKey };
  const grant = machineGrant({ issuer, identity, entitle: ({ scopes = [] }) => clientCredentialsGrant(scopes) });
  return clientAuth(grant, sessionOptions('clientCredentials', options));
}
