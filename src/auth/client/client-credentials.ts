/** `clientCredentials()`: the client is let in as itself, by a secret or a key. */

import type { ClientAuth } from '../../client/http-options.ts';
import { type AuthOptions, clientAuth, sessionOptions } from './auth.ts';
import { checkCredentials, checkText } from './checks.ts';
import type { ClientPrivateKey } from './client-auth.ts';
import { machineGrant } from './machine-grant.ts';
import { clientCredentialsGrant } from './token.ts';

/** Options of `clientCredentials`. */
export interface ClientCredentialsOptions extends AuthOptions {
  /** The client as it was registered with the authorization server. */
  readonly clientId: string;
  /** Its secret; needs `issuer`. */
  readonly clientSecret?: string | undefined;
  /** Its key, in place of a secret: the better choice, since nothing secret leaves the client. */
  readonly privateKey?: ClientPrivateKey | undefined;
  /**
   * The authorization server that `clientId` belongs to, exactly as it calls itself. With `discovered` it is whichever the
   * MCP server names, which then gets the secret.
   */
  readonly issuer?: string | undefined;
}

/** Lets a client in as itself, without a person (the OAuth client credentials grant). */
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
