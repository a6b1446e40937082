/** Client authentication of this server at the authorization server, for introspection. */

import { importJWK } from 'jose';
import { type ClientAuth, ClientSecretBasic, ClientSecretPost, PrivateKeyJwt } from 'oauth4webapi';
import { isObject } from '../../jsonrpc/message.ts';
import { once } from '../../timing/single-flight.ts';

/** Credentials of this server at the authorization server: `clientId`, and a secret or a private key. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** How the secret is sent. Default: `client_secret_basic`. */
  readonly clientAuthMethod?: 'client_secret_basic' | 'client_secret_post' | undefined;
  /** Private key, instead of a secret: a JWK with `alg` and optionally `kid`, for `private_key_jwt`. */
  readonly privateKey?: Readonly<Record<string, unknown>> | undefined;
}

const SECRET_METHODS: ReadonlyMap<string, (secret: string) => ClientAuth> = new Map([
  ['client_secret_basic', ClientSecretBasic],
  ['client_secret_post', ClientSecretPost],
]);

/** Returns the client authentication. Throws a `TypeError` that names the invalid option. */
export function clientAuthOf(credentials: ClientCredentials): ClientAuth {
  const { clientId, clientSecret, privateKey, clientAuthMethod = 'client_secret_basic' } = credentials;
  if (typeof clientId !== 'string' || clientId === '') throw new TypeError('The option "clientId" must be a text');
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    throw new TypeError('One of the options "clientSecret" and "privateKey" must be there');
  }
  if (privateKey !== undefined) return privateKeyAuth(privateKey);
  if (typeof clientSecret !== 'string' || clientSecret === '') {
    throw new TypeError('The option "clientSecret" must be a text');
  }
  const method = SECRET_METHODS.get(clientAuthMethod);
  if (!method) {
    throw new TypeError('The option "clientAuthMethod" must be "client_secret_basic" or "client_secret_post"');
  }
  return method(clientSecret);
}

function privateKeyAuth(jwk: Readonly<Record<string, unknown>>): ClientAuth {
  const { alg, kid, d } = isObject(jwk) ? jwk : {};
  if (typeof alg !== 'string' || typeof d !== 'string') {
    throw new TypeError('The option "privateKey" must be a private key as JWK, with its "alg"');
  }
  const make = once(async (): Promise<ClientAuth> => {
    const key = await importJWK(jwk, alg);
    if (key instanceof Uint8Array) throw new TypeError('The private key is a secret');
    return PrivateKeyJwt({ key, ...(typeof kid === 'string' && { kid }) });
  });
  return async (...request) => (await make())(...request);
}
