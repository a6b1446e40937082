/** A world without a network: an authorization server that answers from a table, a person, and an MCP server's door. */

import { type AuthError, type CredentialStore, memoryStore, type OAuthOptions } from 'mcpp/auth/client';
import { expect, vi } from 'vitest';
import type { Authorizer, AuthRequest, HeaderFields, ProtectedServer } from '../../src/client/http-options.ts';

export const MCP = 'https://mcp.example.com/mcp';
export const PRM = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
export const ROOT_PRM = 'https://mcp.example.com/.well-known/oauth-protected-resource';
export const AS = 'https://auth.example.com';
export const METADATA: string = `${AS}/.well-known/oauth-authorization-server`;
/** Where `oauth` keeps things without further options. */
export const SERVER_KEY: string = JSON.stringify(['server', MCP, 'oauth', '', '']);
export const TOKENS_KEY: string = JSON.stringify(['tokens', AS, MCP, 'client-1', MCP, 'oauth', '', '']);
export const REDIRECT = 'http://127.0.0.1:7777/callback';

/** A request that left. */
export interface Asked {
  /** For instance `POST https://auth.example.com/token`. */
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body, as a form or as JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What is answered; a string is the body. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

/** By method and URL; 404 for what is not in it. */
export type Table = Readonly<Record<string, Answer | ((asked: Asked) => Answer | Promise<Answer>) | undefined>>;

/** What an authorization server says of itself. */
export function metadataOf(issuer: string, more: object = {}): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    device_authorization_endpoint: `${issuer}/device`,
    code_challenge_methods_supported: ['S256'],
    ...more,
  };
}

/** What the MCP server says of how to be let in. */
export function resourceOf(issuers: readonly string[] = [AS], more: object = {}): object {
  return { resource: MCP, authorization_servers: issuers, ...more };
}

/** Tokens, bound to a key if the request proved one. */
export function tokens(number: number | string, { headers }: Asked, more: object = {}): Answer {
  const token_type = headers['dpop'] === undefined ? 'Bearer' : 'DPoP';
  const given = { access_token: `access-${number}`, token_type, expires_in: 3600, refresh_token: `refresh-${number}` };
  return { json: { ...given, ...more } };
}

/** One authorization server at `issuer`: it registers everybody, and numbers what it gives. */
export function authorizationServer(issuer: string = AS, more: object = {}): Table {
  let clients = 0;
  let given = 0;
  const name = issuer === AS ? '' : `${new URL(issuer).hostname}-`;
  return {
    [`GET ${issuer}/.well-known/oauth-authorization-server`]: { json: metadataOf(issuer, more) },
    [`POST ${issuer}/register`]: () => ({ status: 201, json: { client_id: `${name}client-${++clients}` } }),
    [`POST ${issuer}/token`]: (asked) => tokens(`${name}${++given}`, asked),
  };
}

/** What the MCP server's door says. */
export interface Door {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Decides over a request by what was sent to let it in. */
export type Guard = (sent: HeaderFields) => Door;

/** 401 with a challenge. */
export function refused(challenge = 'Bearer', more: Readonly<Record<string, string>> = {}): Door {
  return { status: 401, headers: { 'www-authenticate': challenge, ...more } };
}

/** 403 for want of these scopes. */
export function tooLittle(scopes: string, more = ''): Door {
  const challenge = `Bearer error="insufficient_scope", scope="${scopes}"${more}`;
  return { status: 403, headers: { 'www-authenticate': challenge } };
}

/** Lets in whoever has one of these tokens. */
export function letsIn(...accepted: readonly string[]): Guard {
  return ({ authorization = '' }) =>
    accepted.includes(authorization.split(' ')[1] ?? '') ? { status: 200 } : refused();
}

/** How a request ended. */
export interface Entered {
  readonly status: number;
  readonly sent: HeaderFields;
  readonly tries: number;
}

/** A request to the MCP server, sent as often as its transport would. */
export async function enter(
  authorizer: Authorizer,
  guard: Guard,
  url: URL = new URL(MCP),
  request: Pick<AuthRequest, 'isBackground' | 'signal'> = {},
): Promise<Entered> {
  for (let tries = 0; ; tries++) {
    const sent = await authorizer.headers({ method: 'POST', url, ...request });
    const { status, headers = {} } = guard(sent);
    const facts = { method: 'POST', url, sent, header: (name: string) => headers[name], ...request };
    if (status !== 401 && status !== 403) {
      authorizer.answered?.({ ...facts, status });
      return { status, sent, tries };
    }
    if (tries === 5 || !(await authorizer.onChallenge({ ...facts, status, tries }))) return { status, sent, tries };
  }
}

/** A connection, as those see it who get it let in. */
export interface FakeConnection extends ProtectedServer {
  readonly closing: AbortController;
  /** How often a person was waited for, and whether that is over. */
  readonly waits: { count: number; now: number };
  readonly signIns: () => number;
}

export function connectionTo(url: string = MCP): FakeConnection {
  const closing = new AbortController();
  const waits = { count: 0, now: 0 };
  const onSignIn = vi.fn();
  return {
    url: new URL(url),
    signal: closing.signal,
    closing,
    waits,
    signIns: () => onSignIn.mock.calls.length,
    onSignIn,
    pauseTimeouts() {
      waits.count++;
      waits.now++;
      return () => {
        waits.now--;
      };
    },
  };
}

/** A table that is being asked, and a person who says yes. */
export interface World {
  readonly asked: Asked[];
  /** Method and URL of each request, in order. */
  lines(): string[];
  /** The requests to one place. */
  to(line: string): Asked[];
  /** Answers differently from now on. */
  change(table: Table): void;
  /** The pages the person was shown. */
  readonly pages: URL[];
  readonly store: CredentialStore;
  /** What is in the store, by the first part of its key: `server`, `client`, `tokens` or `pending`. */
  kept(kind: string): unknown[];
  readonly fetch: typeof fetch;
  /** For `oauth`. */
  readonly options: OAuthOptions & { readonly authorize: NonNullable<OAuthOptions['authorize']> };
}

/** A world of one MCP server and one authorization server, and what differs from that. */
export function world(...changes: readonly Table[]): World {
  const table = new Map<string, Table[string]>(
    Object.entries({ [`GET ${PRM}`]: { json: resourceOf() }, ...authorizationServer() }),
  );
  const change = (more: Table): void => {
    for (const [line, answer] of Object.entries(more)) table.set(line, answer);
  };
  for (const one of changes) change(one);
  const asked: Asked[] = [];
  const pages: URL[] = [];
  const { store, kept } = watchedStore();
  const answerTo: typeof fetch = async (input, { method = 'GET', headers, body, redirect, signal } = {}) => {
    expect(redirect).toBe('manual');
    const one = askedOf(`${method} ${String(input)}`, new Headers(headers), String(body ?? ''));
    asked.push(one);
    const reply = table.get(one.line.replace(/\?.*$/, ''));
    const answer = typeof reply === 'function' ? await reply(one) : (reply ?? { status: 404 });
    signal?.throwIfAborted();
    return responseOf(answer);
  };
  const authorize = async (page: URL): Promise<URL> => {
    pages.push(page);
    return callbackTo(page, { code: `code-${pages.length}` });
  };
  return {
    asked,
    lines: () => asked.map(({ line }) => line),
    to: (line) => asked.filter((one) => one.line === line),
    change,
    pages,
    store,
    kept,
    fetch: answerTo,
    options: { fetch: answerTo, store, redirectUri: REDIRECT, authorize },
  };
}

function watchedStore(): Pick<World, 'store' | 'kept'> {
  const inner = memoryStore();
  const kept = new Map<string, unknown>();
  const store: CredentialStore = {
    ...inner,
    async set(key, value) {
      await inner.set(key, value);
      if (value === undefined) kept.delete(key);
      else kept.set(key, value);
    },
  };
  return { store, kept: (kind) => [...kept].filter(([key]) => JSON.parse(key)[0] === kind).map(([, value]) => value) };
}

/** Where a person is sent back to from this page. */
export function callbackTo(page: URL, parameters: Readonly<Record<string, string>>): URL {
  const callback = new URL(page.searchParams.get('redirect_uri') ?? '');
  const state = page.searchParams.get('state') ?? '';
  for (const [name, value] of Object.entries({ state, ...parameters })) callback.searchParams.set(name, value);
  return callback;
}

/** The error that this fails with. */
export async function failureOf(failing: Promise<unknown>): Promise<AuthError> {
  const outcome: unknown = await failing.then(
    (value) => expect.fail(`It gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  expect(outcome).toMatchObject({ name: 'AuthError' });
  return outcome as AuthError;
}

function askedOf(line: string, headers: Headers, body: string): Asked {
  const isJson = headers.get('content-type') === 'application/json';
  const fields = isJson ? (JSON.parse(body) as object) : Object.fromEntries(new URLSearchParams(body));
  return { line, headers: Object.fromEntries(headers), body, fields: { ...fields } };
}

function responseOf({ status = 200, headers = {}, json, text }: Answer): Response {
  const body = json === undefined ? (text ?? null) : JSON.stringify(json);
  const type = json === undefined ? undefined : { 'content-type': 'application/json' };
  return new Response(body, { status, headers: { ...type, ...headers } });
}
