/** Client authentication at an authorization server: none, by client secret, or by signature (`private_key_jwt`). */

import { type CryptoKey, importJWK, importPKCS8, type JWK } from 'jose';
import { type ClientAuth, ClientSecretPost, modifyAssertion, None, PrivateKeyJwt } from 'oauth4webapi';
import { once } from '../../timing/single-flight.ts';
import { AuthError } from '../errors.ts';
import { cleanText } from './responses.ts';
import type { ServerMetadata } from './server-metadata.ts';

/** Supported values of `token_endpoint_auth_method` (RFC 7591). */
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** Private key of a client, for `private_key_jwt` (RFC 7523). */
export interface ClientPrivateKey {
  /** Web Crypto key, PEM text with the label "PRIVATE KEY" (PKCS #8), or JWK. */
  readonly key: CryptoKey | JWK | string;
  /** JWS algorithm, such as `ES256`. Required for PEM. Default: derived from the key. */
  readonly alg?: string | undefined;
  /** Key id, by which the authorization server finds the public key. Default: the `kid` of a JWK. */
  readonly kid?: string | undefined;
}

/** Client id and credentials at one authorization server. Contains secrets. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: ClientPrivateKey | undefined;
  /** Client authentication method. Default: the first of signature, secret and `none` that client and server support. */
  readonly authMethod?: string | undefined;
}

type Authenticate = (identity: ClientIdentity, as: ServerMetadata) => ClientAuth;

const METHODS: ReadonlyMap<string, Authenticate> = new Map<ClientAuthMethod, Authenticate>([
  ['private_key_jwt', (identity, as) => bySignature(identity, as)],
  ['client_secret_basic', (identity) => byBasic(secretOf(identity))],
  ['client_secret_post', (identity) => ClientSecretPost(secretOf(identity))],
  ['none', () => None()],
]);
const ALG_OF_CURVE: ReadonlyMap<unknown, string> = new Map([
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['P-521', 'ES512'],
  ['Ed25519', 'EdDSA'],
]);

/** Returns the client authentication: `authMethod`, else a method that both sides support. Throws an `AuthError` if none. */
export function clientAuthFor(as: ServerMetadata, identity: ClientIdentity): ClientAuth {
  const method = identity.authMethod ?? methodFor(as, identity);
  const authenticate = METHODS.get(method);
  if (authenticate) return authenticate(identity, as);
  throw unsupported(`it must be one of ${[...METHODS.keys()].join(', ')}`);
}

function methodFor(as: ServerMetadata, { clientSecret, privateKey }: ClientIdentity): string {
  // Without this list, servers support `client_secret_basic` (RFC 8414). A configured private key is tried nevertheless.
  const taken = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic', 'private_key_jwt', 'none'];
  const usable = [
    ...(privateKey ? ['private_key_jwt'] : []),
    ...(clientSecret === undefined ? [] : ['client_secret_basic', 'client_secret_post']),
  ];
  // Without credentials, only `none` is possible, even if the server does not list it.
  if (usable.length === 0) return 'none';
  const method = [...usable, 'none'].find((one) => taken.includes(one));
  if (method !== undefined) return method;
  throw unsupported(`the server takes ${cleanText(taken.join(', ')) ?? 'none'}, this client has ${usable.join(', ')}`);
}

function secretOf({ clientSecret }: ClientIdentity): string {
  if (clientSecret) return clientSecret;
  throw unsupported('a client secret is needed for it');
}

// Unlike oauth4webapi, does not escape `-`, `_` and `.`, so that servers which forget to decode the credentials work too.
function byBasic(secret: string): ClientAuth {
  return (_as, { client_id }, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${formEncoded(client_id)}:${formEncoded(secret)}`)}`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function bySignature(
  { privateKey }: ClientIdentity,
  { token_endpoint_auth_signing_alg_values_supported: taken }: ServerMetadata,
): ClientAuth {
  if (!privateKey) throw unsupported('a private key is needed for it');
  const alg = algOf(privateKey);
  if (alg !== undefined && taken && !taken.includes(alg)) {
    throw unsupported(`the server takes signatures by ${cleanText(taken.join(', '))}, this key signs by ${alg}`);
  }
  const imported = once(() => importKey(privateKey, alg));
  const kid = privateKey.kid ?? (isJwk(privateKey.key) ? privateKey.key.kid : undefined);
  return async (as, client, body, headers) => {
    const sign = PrivateKeyJwt(
      { key: await imported(), ...(kid !== undefined && { kid }) },
      {
        [modifyAssertion](header, payload) {
          if (alg !== undefined) header['alg'] = alg;
          // Removes `nbf`: the server would refuse the assertion if the client's clock were a second ahead.
          delete payload['nbf'];
        },
      },
    );
    await sign(as, client, body, headers);
  };
}

function algOf({ key, alg }: ClientPrivateKey): string | undefined {
  if (alg !== undefined) return alg;
  if (typeof key === 'string') throw unsupported('a PEM key needs "alg", for instance "ES256"');
  if (!isJwk(key)) return undefined;
  return key.alg ?? ALG_OF_CURVE.get(key.crv) ?? 'RS256';
}

async function importKey({ key }: ClientPrivateKey, alg: string | undefined): Promise<CryptoKey> {
  if (typeof key !== 'string' && !isJwk(key)) return key;
  try {
    const imported = typeof key === 'string' ? await importPKCS8(key, alg ?? '') : await importJWK({ ...key }, alg);
    if (!(imported instanceof Uint8Array) && imported.type === 'private') return imported;
  } catch {
    // Drops the library's error, because its message could quote the key.
  }
  throw unsupported(`the private key cannot be read as one for ${alg}; a PEM text must be of the kind "PRIVATE KEY"`);
}

function isJwk(key: ClientPrivateKey['key']): key is JWK {
  return typeof key !== 'string' && 'kty' in key;
}

function unsupported(fault: string): AuthError {
  return new AuthError(
    'client_auth_unsupported',
    `This client cannot authenticate at the authorization server: ${fault}`,
  );
}
