/** How a client shows an authorization server who it is: not at all, by a secret, or by a signature. */

import { type CryptoKey, importJWK, importPKCS8, type JWK } from 'jose';
import { type ClientAuth, ClientSecretPost, modifyAssertion, None, PrivateKeyJwt } from 'oauth4webapi';
import { once } from '../../timing/single-flight.ts';
import { AuthError } from '../errors.ts';
import { cleanText } from './responses.ts';
import type { ServerMetadata } from './server-metadata.ts';

/** The ways that are supported, by the names of RFC 8414. */
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** A key that only the client has. */
export interface ClientPrivateKey {
  /** A key of the runtime, a PEM text of the kind "PRIVATE KEY" (PKCS #8), or a JWK. */
  readonly key: CryptoKey | JWK | string;
  /** How it signs, for instance `ES256`. Needed with PEM. */
  readonly alg?: string | undefined;
  /** The name that the authorization server knows the key by. */
  readonly kid?: string | undefined;
}

/** Who a client is at one authorization server. Holds secrets: whoever keeps it keeps it out of sight. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: ClientPrivateKey | undefined;
  /** How to use them, if not as the authorization server prefers. */
  readonly authMethod?: string | undefined;
}

type Authenticate = (identity: ClientIdentity, as: ServerMetadata) => ClientAuth;

/** In this order they are preferred. */
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

/** How this client authenticates at this server: the method it was told, else one that both have. */
export function clientAuthFor(as: ServerMetadata, identity: ClientIdentity): ClientAuth {
  const method = identity.authMethod ?? methodFor(as, identity);
  const authenticate = METHODS.get(method);
  if (authenticate) return authenticate(identity, as);
  throw unsupported(`it must be one of ${[...METHODS.keys()].join(', ')}`);
}

function methodFor(as: ServerMetadata, { clientSecret, privateKey }: ClientIdentity): string {
  // Who says nothing takes this one (RFC 8414), which does not keep a key from being tried.
  const taken = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic', 'private_key_jwt', 'none'];
  const usable = [
    ...(privateKey ? ['private_key_jwt'] : []),
    ...(clientSecret === undefined ? [] : ['client_secret_basic', 'client_secret_post']),
  ];
  // A client without credentials has nothing else to show, whatever the list says.
  if (usable.length === 0) return 'none';
  const method = [...usable, 'none'].find((one) => taken.includes(one));
  if (method !== undefined) return method;
  throw unsupported(`the server takes ${cleanText(taken.join(', ')) ?? 'none'}, this client has ${usable.join(', ')}`);
}

function secretOf({ clientSecret }: ClientIdentity): string {
  if (clientSecret) return clientSecret;
  throw unsupported('a client secret is needed for it');
}

// Form-encoded as URLSearchParams does it: letters that need no escape have none, so servers that forget to decode work too.
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
          // A clock that is a second ahead would make it a promise for later.
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
    // What libraries say of a key may quote it.
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
