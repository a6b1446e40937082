/** An issuer's documents and keys, in memory or on a port, and what was asked for. It issues nothing to clients. */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import type { Authenticate, Challenge, HttpRequest } from '../../src/protocol/http/authenticate.ts';
import type { Principal } from '../../src/protocol/principal.ts';

export const RESOURCE = 'https://mcp.example.com/mcp';
export const METADATA_URL = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
export const ISSUER = 'https://auth.example.com';

/** A pair of keys, and the public one as it is published. */
export interface TestKey {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

/** Makes a key; it is published only if somebody puts it into `keys`. */
export async function makeKey(kid: string, alg = 'ES256'): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } };
}

/** What somebody asked of the issuer. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** An answer: an object is sent as JSON. */
export interface TestAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers what is asked at a path; the documents an issuer has are there from the beginning. */
export interface TestIssuer {
  readonly issuer: string;
  /** What is at each path. */
  readonly pages: Map<string, (asked: Asked) => TestAnswer | Promise<TestAnswer>>;
  readonly metadata: Record<string, unknown>;
  /** What is published. */
  keys: JWK[];
  /** Everything that was asked, oldest first. */
  readonly asked: Asked[];
  /** Answers without a network. */
  readonly fetch: typeof fetch;
}

/** An issuer without keys. */
export function makeIssuer(issuer: string = ISSUER): TestIssuer {
  const metadata: Record<string, unknown> = {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    introspection_endpoint: `${issuer}/introspect`,
  };
  const { pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname;
  const asked: Asked[] = [];
  const made: TestIssuer = {
    issuer,
    metadata,
    keys: [],
    asked,
    pages: new Map([
      [`/.well-known/oauth-authorization-server${path}`, () => ({ status: 200, body: metadata })],
      [`${path}/jwks`, () => ({ status: 200, body: { keys: made.keys } })],
    ]),
    fetch: async (input, init) => {
      const { pathname: at } = new URL(String(input));
      const headers = Object.fromEntries(new Headers(init?.headers ?? {}));
      const one = { method: init?.method ?? 'GET', path: at, headers, body: String(init?.body ?? '') };
      const { status, body, headers: fields = {} } = await answer(made, one);
      return new Response(textOf(body), { status, headers: { 'content-type': 'application/json', ...fields } });
    },
  };
  return made;
}

/** The paths that were asked for. */
export function pathsOf({ asked }: TestIssuer): string[] {
  return asked.map(({ path }) => path);
}

/** The same on a port of this machine: `issuer` has to be known before. */
export async function listen(
  make: (issuer: string) => TestIssuer = makeIssuer,
): Promise<{ issuer: TestIssuer; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void readAll(request).then(async (body) => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers: headers as Record<string, string>, body };
      const { status, body: content, headers: fields = {} } = await answer(issuer, one);
      response.writeHead(status, { 'content-type': 'application/json', ...fields }).end(textOf(content));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = make(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    issuer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(issuer: TestIssuer, asked: Asked): Promise<TestAnswer> {
  issuer.asked.push(asked);
  return (await issuer.pages.get(asked.path)?.(asked)) ?? { status: 404, body: 'nothing here' };
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body ?? {});
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Seconds since 1970. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** What a good token says; `undefined` takes a claim away. */
export function goodClaims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const claims = { iss: ISSUER, aud: RESOURCE, sub: 'alice', client_id: 'app', scope: 'mcp:use', exp: now() + 300 };
  return Object.fromEntries(Object.entries({ ...claims, ...changes }).filter(([, value]) => value !== undefined));
}

/** A signed token. */
export function sign(
  { privateKey, jwk }: TestKey,
  changes: Record<string, unknown> = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const written = { alg: jwk.alg ?? 'ES256', kid: jwk.kid, typ: 'at+jwt', ...header };
  return new SignJWT(goodClaims(changes)).setProtectedHeader(written as JWTHeaderParameters).sign(privateKey);
}

/** A request, as an authenticator sees it. */
export function requestOf(
  headers: Readonly<Record<string, string>> = {},
  { method = 'POST', target = '/mcp' }: { method?: string; target?: string } = {},
): HttpRequest {
  return { method, target, header: (name) => headers[name] };
}

/** What comes of a request with this token. */
export async function show(
  auth: Authenticate,
  token: string | undefined,
  { scheme = 'bearer', request = requestOf() }: { scheme?: string; request?: HttpRequest } = {},
): Promise<Principal | Challenge> {
  return auth(token === undefined ? undefined : { scheme, token }, request);
}

/** Status and `WWW-Authenticate` of a challenge. */
export function told(outcome: Principal | Challenge): string {
  if (!('status' in outcome)) return `let in: ${outcome.subject}`;
  return `${outcome.status} ${outcome.headers?.['WWW-Authenticate'] ?? JSON.stringify(outcome.headers)}`;
}
