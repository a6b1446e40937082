import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  ISSUER,
  METADATA_URL,
  makeIssuer,
  makeKey,
  now,
  RESOURCE,
  requestOf,
  show,
  sign,
  type TestKey,
  told,
} from '../../../test/auth-server/issuer.ts';
import type { ProofStore } from '../../store/proof-store.ts';
import { memoryProofStore } from '../../store/proof-store.ts';
import { type JwtOptions, jwt } from './jwt.ts';
import type { ResourceAuth, ResourceOptions } from './resource.ts';

const IN = 'let in: alice';
const ALGS = 'algs="ES256 ES384 ES512 PS256 PS384 PS512 RS256 RS384 RS512 EdDSA Ed25519"';
const WHERE = `resource_metadata="${METADATA_URL}"`;
const proofRefused = (description: string): string =>
  `401 DPoP ${WHERE}, error="invalid_dpop_proof", error_description="${description}", ${ALGS}`;
const MISSING = proofRefused('The header DPoP must be there once, with a proof');
const MALFORMED = proofRefused('The proof cannot be read');
const SIGNATURE = proofRefused('The signature of the proof is not valid');
const TIME = proofRefused('The proof is too old, or from the future');
const URL_ = proofRefused('The proof is for another URL');

let key: TestKey;
let mine: TestKey;
let jkt: string;
let token: string;
let plain: string;
beforeAll(async () => {
  [key, mine] = await Promise.all([makeKey('one'), makeKey('mine')]);
  jkt = await calculateJwkThumbprint(mine.jwk);
  [token, plain] = await Promise.all([sign(key, { cnf: { jkt } }), sign(key)]);
});
afterEach(() => void vi.useRealTimers());

function protect(
  dpop?: ResourceOptions['dpop'],
  scopes: readonly string[] = [],
  more: Pick<JwtOptions, 'proofs' | 'onError'> = {},
): ResourceAuth {
  const issuer = makeIssuer();
  issuer.keys = [key.jwk];
  return jwt({ issuer: ISSUER, resource: RESOURCE, fetch: issuer.fetch, dpop, scopes, ...more });
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
const publicJwk = ({ kty, crv, x, y }: TestKey['jwk']) => ({ kty, crv, x, y });

/** A proof; what is `undefined` is left out. */
async function prove(
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  { privateKey, jwk }: TestKey = mine,
): Promise<string> {
  const said = { jti: crypto.randomUUID(), htm: 'POST', htu: RESOURCE, iat: now(), ath: hashOf(token), ...claims };
  const written = { typ: 'dpop+jwt', alg: 'ES256', jwk: publicJwk(jwk), ...header } as JWTHeaderParameters;
  return new SignJWT(said).setProtectedHeader(written).sign(privateKey);
}

const showProof = async (auth: ResourceAuth, proof: string | undefined, method = 'POST'): Promise<string> => {
  const request = requestOf(proof === undefined ? {} : { dpop: proof }, { method });
  return told(await show(auth, token, { scheme: 'dpop', request }));
};

test('a bound token with its proof lets its bearer in, for each method with a proof of its own', async () => {
  const auth = protect();
  for (const method of ['POST', 'GET', 'DELETE']) {
    expect(await showProof(auth, await prove({ htm: method }), method)).toBe(IN);
  }
});

test('a proof is for one request', async () => {
  const auth = protect();
  const proof = await prove();
  const outcomes = await Promise.all([showProof(auth, proof), showProof(auth, proof)]);
  expect(outcomes.toSorted()).toEqual([proofRefused('The proof was used before'), IN]);
  expect(await showProof(auth, proof)).toBe(proofRefused('The proof was used before'));
});

test('a proof that could not be remembered is not accepted: the client is told to come later', async () => {
  const use = vi.fn<ProofStore['use']>(() => 'first').mockReturnValueOnce('full');
  const auth = protect(undefined, [], { proofs: { use } });
  const proof = await prove();
  expect(await showProof(auth, proof)).toBe('503 {"Retry-After":"10"}');
  expect(await showProof(auth, proof)).toBe(IN);
  expect(use).toHaveBeenCalledTimes(2);
});

test('with a shared store a proof is accepted once, by whichever node it is shown to', async () => {
  const proofs = memoryProofStore({ perKey: 10, total: 10 });
  const shared = { proofs: { use: async (...proof: Parameters<ProofStore['use']>) => proofs.use(...proof) } };
  const [here, there] = [protect(undefined, [], shared), protect(undefined, [], shared)];
  const proof = await prove();
  expect(await showProof(here, proof)).toBe(IN);
  expect(await showProof(there, proof)).toBe(proofRefused('The proof was used before'));
});

test('a store of proofs that fails lets nobody in: it is reported, and the client may retry', async () => {
  const onError = vi.fn();
  const proofs = { use: () => Promise.reject(new Error('redis://secret')) };
  const auth = protect(undefined, [], { proofs, onError });
  expect(await showProof(auth, await prove())).toBe('503 {"Retry-After":"10"}');
  expect(onError).toHaveBeenCalledWith(new Error('redis://secret'));
});

test('a proof is remembered only for a token that is good and bound to its key', async () => {
  const use = vi.fn<ProofStore['use']>(() => 'first');
  const auth = protect(undefined, [], { proofs: { use } });
  const other = await makeKey('other');
  await show(auth, 'nonsense', { scheme: 'dpop', request: requestOf({ dpop: await prove() }) });
  await show(auth, plain, { scheme: 'dpop', request: requestOf({ dpop: await prove({ ath: hashOf(plain) }) }) });
  await showProof(auth, await prove({}, {}, other));
  expect(use).not.toHaveBeenCalled();
});

test('a refused proof was not used', async () => {
  const auth = protect();
  const proof = await prove();
  expect(await showProof(auth, proof, 'GET')).toBe(proofRefused('The proof is for another HTTP method'));
  expect(await showProof(auth, proof)).toBe(IN);
});

describe('what a proof says', () => {
  const cases: readonly (readonly [what: string, claims: () => Record<string, unknown>, outcome: string])[] = [
    ['another method', () => ({ htm: 'GET' }), proofRefused('The proof is for another HTTP method')],
    ['a method in other letters', () => ({ htm: 'post' }), proofRefused('The proof is for another HTTP method')],
    ['no method', () => ({ htm: undefined }), proofRefused('The proof is for another HTTP method')],
    ['another path', () => ({ htu: `${RESOURCE}/x` }), URL_],
    ['another host', () => ({ htu: 'https://other.example.com/mcp' }), URL_],
    ['another scheme', () => ({ htu: 'http://mcp.example.com/mcp' }), URL_],
    ['another port', () => ({ htu: 'https://mcp.example.com:8443/mcp' }), URL_],
    ['no URL', () => ({ htu: 'mcp' }), URL_],
    ['the URL written differently', () => ({ htu: 'HTTPS://MCP.example.com:443/mcp?a=b#c' }), IN],
    ['61 seconds ago', () => ({ iat: now() - 62 }), TIME],
    ['59 seconds ago', () => ({ iat: now() - 58 }), IN],
    ['in a while', () => ({ iat: now() + 10 }), TIME],
    ['in a moment', () => ({ iat: now() + 3 }), IN],
    ['no time', () => ({ iat: undefined }), MALFORMED],
    ['a text for a time', () => ({ iat: String(now()) }), MALFORMED],
    ['an end that is over', () => ({ exp: now() - 30 }), TIME],
    ['another token', () => ({ ath: hashOf('x') }), proofRefused('The proof is for another token')],
    ['no token', () => ({ ath: undefined }), proofRefused('The proof is for another token')],
    ['no id', () => ({ jti: undefined }), MALFORMED],
    ['an empty id', () => ({ jti: '' }), MALFORMED],
    ['more than 8 KB', () => ({ fill: 'x'.repeat(8000) }), MALFORMED],
    ['an id of 300 letters', () => ({ jti: 'x'.repeat(300) }), MALFORMED],
  ];

  test.each(cases)('%s', async (_what, claims, outcome) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    expect(await showProof(protect(), await prove(claims()))).toBe(outcome);
  });
});

describe('how a proof is made', () => {
  test('with a key that is not the token’s', async () => {
    expect(await showProof(protect(), await prove({}, {}, await makeKey('other')))).toBe(
      proofRefused('The proof was made with another key than the token is bound to'),
    );
  });

  test('with a key that is not the token’s, whose signature is not looked at', async () => {
    const [header, payload] = (await prove({}, {}, await makeKey('other'))).split('.');
    expect(await showProof(protect(), `${header}.${payload}.AAAA`)).toBe(
      proofRefused('The proof was made with another key than the token is bound to'),
    );
  });

  test('with another key than it shows', async () => {
    const other = await makeKey('other');
    expect(await showProof(protect(), await prove({}, { jwk: publicJwk(mine.jwk) }, other))).toBe(SIGNATURE);
  });

  test('with the private key inside', async () => {
    const jwk = await exportJWK(mine.privateKey);
    expect(await showProof(protect(), await prove({}, { jwk }))).toBe(MALFORMED);
    expect(await showProof(protect(), await prove({}, { jwk: { ...publicJwk(mine.jwk), p: 'x' } }))).toBe(MALFORMED);
  });

  test('with a secret', async () => {
    const secret = new Uint8Array(32);
    const header = { typ: 'dpop+jwt', alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } } as unknown as JWTHeaderParameters;
    const proof = await new SignJWT({ jti: 'x', htm: 'POST', htu: RESOURCE }).setProtectedHeader(header).sign(secret);
    expect(await showProof(protect(), proof)).toBe(MALFORMED);
  });

  test.each([{ typ: 'JWT' }, { typ: undefined }, { jwk: undefined }, { jwk: 'x' }])(
    'with the header %j',
    async (header) => {
      expect(await showProof(protect(), await prove({}, header))).toBe(MALFORMED);
    },
  );

  test.each(['x', 'a.b.c', 'x'.repeat(9000)])('not at all: %.10s', async (text) => {
    expect(await showProof(protect(), text)).toBe(MALFORMED);
  });

  test('with something that has to be understood', async () => {
    expect(await showProof(protect(), await prove({}, { crit: ['b64'], b64: true }))).toBe(MALFORMED);
  });

  test('the algorithm none', async () => {
    const [, payload] = (await prove()).split('.');
    const header = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'none', jwk: publicJwk(mine.jwk) })).toString(
      'base64url',
    );
    expect(await showProof(protect(), `${header}.${payload}.`)).toBe(MALFORMED);
  });
});

test('who lacks a scope is asked for it in the scheme it used', async () => {
  const auth = protect('accepted', ['files']);
  const missing = `error="insufficient_scope", scope="files", ${WHERE}, error_description="The token lacks a scope that the request needs"`;
  expect(await showProof(auth, await prove())).toBe(`403 DPoP ${missing}, ${ALGS}`);
  expect(told(await show(auth, plain))).toBe(`403 Bearer ${missing}`);
});

test('there is exactly one proof', async () => {
  expect(await showProof(protect(), undefined)).toBe(MISSING);
  expect(await showProof(protect(), '')).toBe(MISSING);
  // Two header fields of one name arrive as one.
  expect(await showProof(protect(), `${await prove()}, ${await prove()}`)).toBe(MISSING);
});

describe('which tokens need proofs', () => {
  test('a bound one is not accepted as if it were not bound, proof or no proof', async () => {
    const expected =
      `401 DPoP ${WHERE}, error="invalid_token", ` +
      `error_description="The token is bound to a key: it needs the scheme DPoP and a proof", ${ALGS}`;
    expect(told(await show(protect(), token))).toBe(expected);
    expect(told(await show(protect(), token, { request: requestOf({ dpop: await prove() }) }))).toBe(expected);
  });

  test('one that is not bound gains nothing from a proof', async () => {
    const request = requestOf({ dpop: await prove({ ath: hashOf(plain) }) });
    expect(told(await show(protect(), plain, { scheme: 'dpop', request }))).toBe(
      `401 Bearer ${WHERE}, error="invalid_token", ` +
        'error_description="The token is not bound to a key: the scheme DPoP is not for it"',
    );
    expect(told(await show(protect('required'), plain, { scheme: 'dpop', request }))).toMatch(/^401 DPoP /);
    expect(told(await show(protect(), plain, { request }))).toBe(IN);
  });

  test('a bad token is bad before its proof is looked at', async () => {
    const expired = await sign(key, { exp: 1, cnf: { jkt } });
    expect(told(await show(protect(), expired, { scheme: 'dpop' }))).toBe(
      `401 DPoP ${WHERE}, error="invalid_token", error_description="The token has expired", ${ALGS}`,
    );
  });

  test('required: no others are accepted', async () => {
    const auth = protect('required');
    expect(told(await show(auth, undefined))).toBe(`401 DPoP ${WHERE}, ${ALGS}`);
    expect(told(await show(auth, plain))).toBe(`401 DPoP ${WHERE}, ${ALGS}`);
    expect(await showProof(auth, await prove())).toBe(IN);
  });

  test('refused: none of them are', async () => {
    const auth = protect('refused');
    expect(await showProof(auth, await prove())).toBe(`401 Bearer ${WHERE}`);
    expect(told(await show(auth, token))).toBe(
      `401 Bearer ${WHERE}, error="invalid_token", error_description="The token is bound to something that cannot be checked here"`,
    );
    expect(told(await show(auth, plain))).toBe(IN);
  });

  test('what else a token is bound to cannot be checked, so it is not accepted', async () => {
    for (const cnf of [{ 'x5t#S256': 'abc' }, { jkt, 'x5t#S256': 'abc' }, { jkt: 7 }, 'abc', null]) {
      const outcome = told(await show(protect(), await sign(key, { cnf })));
      expect(outcome).toContain('error_description="The token is bound to something that cannot be checked here"');
    }
  });
});

test('what was used is forgotten when it could not be used again anyway', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: now() * 1000 });
  const auth = protect();
  const proof = await prove({ jti: 'same' });
  expect(await showProof(auth, proof)).toBe(IN);
  vi.advanceTimersByTime(60_000);
  expect(await showProof(auth, proof)).toBe(proofRefused('The proof was used before'));
  vi.advanceTimersByTime(2000);
  expect(await showProof(auth, proof)).toBe(TIME);
  expect(await showProof(auth, await prove({ jti: 'same' }))).toBe(IN);
});
