/** What nobody can see, in whatever goes wrong: not in errors of any kind, nor in the objects that people hold. */

import { inspect } from 'node:util';
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import {
  AuthError,
  bearer,
  type ClientAuth,
  clientCredentials,
  deviceCode,
  enterpriseManaged,
  oauth,
  workloadIdentity,
} from 'mcpp/auth/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Answer,
  AS,
  type Asked,
  authorizationServer,
  callbackTo,
  connectionTo,
  type Door,
  enter,
  type Guard,
  METADATA,
  metadataOf,
  PRM,
  refused,
  resourceOf,
  type Table,
  TOKENS_KEY,
  tooLittle,
  type World,
  world,
} from './world.ts';

const TOKEN = `POST ${AS}/token`;
const secrets = new Set<string>();

/** Something that nobody may see. */
function secret(name: string): string {
  const made = `${name}-${crypto.randomUUID().replaceAll('-', '')}`;
  secrets.add(made);
  return made;
}

/** Fields of requests whose values are secret, and header fields. */
const HUSHED = [
  'code',
  'code_verifier',
  'refresh_token',
  'client_secret',
  'client_assertion',
  'assertion',
  'subject_token',
  'device_code',
];

function remember({ fields, headers }: Asked): void {
  for (const name of HUSHED) if (typeof fields[name] === 'string') secrets.add(fields[name]);
  for (const name of ['authorization', 'dpop']) {
    const value = headers[name]?.replace(/^\w+ /, '');
    if (value !== undefined) secrets.add(value);
  }
}

const given = ({ headers }: Asked): Answer => ({
  json: {
    access_token: secret('access'),
    token_type: headers['dpop'] ? 'DPoP' : 'Bearer',
    refresh_token: secret('refresh'),
    expires_in: 3600,
  },
});
/** An authorization server that repeats what it was sent. */
const repeating = ({ body, headers }: Asked): Answer => {
  const said = decodeURIComponent(body).replaceAll('"', "'").replaceAll('\\', '/');
  return {
    status: 400,
    json: { error: 'invalid_grant', error_description: `${said} ${headers['authorization'] ?? ''}` },
  };
};
const letsNobodyIn: Guard = () => refused('Bearer error="invalid_token"');
const letsEverybodyIn: Guard = ({ authorization }) => ({ status: authorization ? 200 : 401 });

/** Ways in which a token endpoint can go wrong, with secrets in each. */
const BROKEN: readonly ((asked: Asked) => Answer)[] = [
  repeating,
  (asked) => ({ status: 500, text: `${asked.body} ${asked.headers['authorization']}` }),
  () => ({ text: `<html>${secret('access')}`, headers: { 'content-type': 'text/html' } }),
  () => ({ json: { access_token: secret('access'), token_type: secret('type') } }),
  () => ({ json: { access_token: `${secret('access')} \n`, token_type: 'Bearer' } }),
  () => ({ json: { error: secret('error'), error_description: secret('description') } }),
  (asked) => ({ status: 307, headers: { location: `https://evil.example.com/?${asked.body}` } }),
  (asked) => {
    throw Object.assign(new Error(`failed to send ${asked.body}`), { cause: new Error(asked.body), code: asked.body });
  },
];

/** Where nothing was tried yet, or the server itself said it. */
const UNTRIED = ['invalid_challenge', 'insufficient_scope', 'insecure_transport', 'state_mismatch', 'invalid_token'];

let seen: string[] = [];
let failures = 0;

beforeEach(() => {
  seen = [];
  failures = 0;
  secrets.clear();
});

afterEach(() => {
  const all = seen.join('\n');
  for (const name of ['', 'undefined']) secrets.delete(name);
  expect([...secrets].filter((one) => all.includes(one) || all.includes(encodeURIComponent(one)))).toEqual([]);
  // And there was something to be seen.
  expect(failures).toBeGreaterThan(1);
  expect(secrets.size).toBeGreaterThan(1);
});

function see(thing: unknown): void {
  seen.push(inspect(thing, { depth: 10, showHidden: true }), inspect(thing, { depth: 10, getters: true }));
  if (typeof thing === 'object') seen.push(JSON.stringify(thing) ?? '');
}

/** Makes a request that fails, and looks at everything that can be seen of it. */
async function fails(auth: ClientAuth, guard: Guard = letsNobodyIn, connection = connectionTo()): Promise<void> {
  const authorizer = auth.authorizer(connection);
  await sees(enter(authorizer, guard, connection.url));
  see(auth);
  see(authorizer);
}

async function sees(failing: Promise<unknown>): Promise<void> {
  const error: unknown = await failing.then(
    () => expect.fail('It did not fail'),
    (one: unknown) => one,
  );
  failures++;
  expect(error).toBeInstanceOf(Error);
  if (error instanceof AuthError) tells(error);
  const { message, stack = '' } = error as Error;
  seen.push(message, stack, String(error));
  see(error);
}

/** What was tried is in the message: where, what came of it, and no query. */
function tells({ code, message, trace }: AuthError): void {
  expect(message).not.toMatch(/https?:[^\s]*\?/);
  if (trace.length === 0) expect(UNTRIED).toContain(code);
  for (const { url = '', status = '', outcome } of trace) {
    expect(message).toContain(`${url}`);
    expect(message).toContain(`${status}`);
    expect(message).toContain(outcome);
  }
}

/** A world whose secrets are known. */
function hushed(...tables: readonly Table[]): World {
  const made = world({ [TOKEN]: given }, ...tables);
  const watched: typeof fetch = async (input, init) => {
    const before = made.asked.length;
    try {
      return await made.fetch(input, init);
    } finally {
      for (const one of made.asked.slice(before)) remember(one);
    }
  };
  const authorize = async (page: URL): Promise<URL> => {
    for (const name of ['state', 'code_challenge']) secrets.add(page.searchParams.get(name) ?? '');
    return callbackTo(page, { code: secret('code') });
  };
  return { ...made, fetch: watched, options: { ...made.options, fetch: watched, authorize } };
}

test('the code and the verifier, or the secret of the client, when tokens are asked for', async () => {
  for (const answer of BROKEN) {
    const { options } = hushed({ [TOKEN]: answer });
    await fails(oauth(options));
    await fails(oauth({ ...options, clientId: 'known', clientSecret: secret('client'), issuer: AS }));
  }
});

test('the refresh token, when it is used', async () => {
  for (const answer of BROKEN) {
    const { options, change, store } = hushed();
    const auth = oauth(options);
    await enter(auth.authorizer(connectionTo()), letsEverybodyIn);
    change({ [TOKEN]: answer });
    await fails(auth);
    see(store);
  }
});

test('the secret that a registration gave', async () => {
  const client = { client_id: 'c', client_secret: secret('client'), token_endpoint_auth_method: 'client_secret_post' };
  for (const answer of [
    { status: 201, json: { ...client, redirect_uris: ['https://other.example.com'] } },
    { status: 201, json: { client_secret: client.client_secret } },
    { status: 400, json: { error: 'invalid_client_metadata', error_description: client.client_secret } },
    { status: 201, json: client },
  ]) {
    const { options, store } = hushed({ [`POST ${AS}/register`]: answer, [TOKEN]: repeating });
    await fails(oauth(options));
    see(store);
  }
});

test('the token, when the server refuses it or wants more of it', async () => {
  const { options } = hushed();
  await fails(oauth(options));
  await fails(oauth(options), ({ authorization }): Door => (authorization ? tooLittle('admin') : refused()));
  await fails(oauth({ ...options, scopes: ['a'] }), letsNobodyIn, connectionTo('http://mcp.example.com/mcp'));
});

test('what a callback has in it', async () => {
  for (const parameters of [
    { code: secret('code'), state: secret('state') },
    { code: secret('code'), iss: `https://evil.example.com/${secret('iss')}` },
    { error: secret('error'), error_description: secret('description') },
    { code: secret('code'), response: secret('response') },
  ]) {
    await fails(oauth({ ...hushed().options, authorize: async (page: URL) => callbackTo(page, parameters) }));
  }
});

test('what is kept of a person who comes back later', async () => {
  const { options, change, store } = hushed();
  const pages: URL[] = [];
  await fails(oauth({ ...options, authorize: async (page) => void pages.push(page) }));
  const [page] = pages as [URL];
  for (const name of ['state', 'code_challenge']) secrets.add(page.searchParams.get(name) ?? '');
  await sees(oauth(options).finish(callbackTo(page, { code: secret('code'), state: secret('state') })));
  await sees(oauth(options).finish(`nonsense ${secret('code')}`));
  change({ [TOKEN]: repeating });
  await sees(oauth(options).finish(callbackTo(page, { code: secret('code') })));
  see(store);
});

test('what URLs have in them', async () => {
  const { options } = hushed();
  const named = `https://user:${secret('password')}@mcp.example.com/x`;
  await fails(oauth(options), () => refused(`Bearer resource_metadata="${named}"`));
  const withQuery = `https://mcp.example.com/x?key=${secret('key')}`;
  await fails(oauth(options), () => refused(`Bearer resource_metadata="${withQuery}"`));
  const location = `https://evil.example.com/${secret('path')}`;
  const userInfo = `https://u:${secret('password')}@auth.example.com`;
  for (const table of [
    { [`GET ${METADATA}`]: { status: 302, headers: { location } } },
    { [`GET ${PRM}`]: { json: resourceOf([userInfo]) } },
    authorizationServer(AS, { token_endpoint: userInfo }),
    authorizationServer(AS, { authorization_endpoint: userInfo }),
  ]) {
    await fails(oauth(hushed(table).options));
  }
});

test('secrets and keys of machines', async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { d = '', ...jwk } = await exportJWK(privateKey);
  const pem = await exportPKCS8(privateKey);
  for (const line of [d, ...pem.split('\n').slice(1, -1)]) secrets.add(line);
  const byTls = metadataOf(AS, { token_endpoint_auth_methods_supported: ['tls_client_auth'] });
  const robots: readonly (readonly [object, Table])[] = [
    [{ clientSecret: secret('client'), issuer: AS }, { [TOKEN]: repeating }],
    [{ clientSecret: secret('client'), issuer: AS }, { [`GET ${METADATA}`]: { json: byTls } }],
    [{ privateKey: { key: { ...jwk, d } } }, { [TOKEN]: repeating }],
    [{ privateKey: { key: pem, alg: 'ES256' } }, { [TOKEN]: repeating }],
    [{ privateKey: { key: pem, alg: 'RS256' } }, {}],
    [{ privateKey: { key: { kty: 'EC', crv: 'P-256', d } } }, {}],
    [{ privateKey: { key: `-----BEGIN RSA PRIVATE KEY-----\n${secret('pem')}`, alg: 'RS256' } }, {}],
  ];
  for (const [robot, table] of robots) {
    await fails(clientCredentials({ fetch: hushed(table).fetch, clientId: 'robot', ...robot }));
  }
});

test('keys that tokens are bound to', async () => {
  const bound = hushed({ [TOKEN]: { json: { access_token: secret('access'), token_type: 'Bearer' } } });
  await fails(oauth({ ...bound.options, dpop: true }));
  const { options, store } = hushed();
  await enter(oauth({ ...options, dpop: true }).authorizer(connectionTo()), letsEverybodyIn);
  const key = TOKENS_KEY;
  const record = (await store.get(key)) as { dpopKey: { d: string } };
  secrets.add(record.dpopKey.d);
  await fails(oauth(options), ({ authorization }) => (authorization ? tooLittle('') : refused()));
  await store.set(key, { ...record, dpopKey: { ...record.dpopKey, kty: 'oct', alg: 'none' } });
  await fails(oauth(options));
  see(store);
});

test('what other grants go by', async () => {
  const code = { user_code: 'ABCD', verification_uri: `${AS}/activate`, expires_in: 1, interval: 1 };
  const shown: Answer = { json: { device_code: secret('device'), ...code } };
  for (const answer of [shown, repeating]) {
    await fails(deviceCode({ fetch: hushed({ [`POST ${AS}/device`]: answer }).fetch, onCode: () => {} }));
  }
  const login = { clientId: 'c', clientSecret: secret('client'), issuer: AS, idToken: () => secret('id') };
  const identityProvider = {
    clientId: 'p',
    clientSecret: secret('idp'),
    tokenEndpoint: 'https://idp.example.com/token',
  };
  for (const answer of [repeating, () => ({ json: { access_token: secret('jag'), issued_token_type: 'x' } })]) {
    const { fetch } = hushed({ 'POST https://idp.example.com/token': answer });
    await fails(enterpriseManaged({ fetch, ...login, identityProvider }));
  }
  const { fetch } = hushed({ [TOKEN]: repeating });
  await fails(workloadIdentity({ fetch, clientId: 'job', issuer: AS, assertion: () => secret('jwt') }));
});

test('a token of somebody else', async () => {
  const [token, another] = [secret('static'), secret('static')];
  await fails(bearer(token));
  await fails(
    bearer(async () => token),
    () => tooLittle('x'),
  );
  await fails(bearer(async () => `${token} ${another}`));
  await sees((async () => bearer(`Bearer ${token}`))());
});
