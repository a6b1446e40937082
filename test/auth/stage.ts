/** What tests of authorization play on: an authorization server, and an MCP server that it lets people into. */

import type { OAuthOptions } from 'mcpp/auth/client';
import { jwt } from 'mcpp/auth/server';
import type { Authenticate } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import type { ClientMetadata } from 'oidc-provider';
import { expect } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';
import { type Face, withServeHttp } from './protected-server.ts';
import type { AuthorizationServerOptions } from './provider-options.ts';

/** How a stage is set. */
export interface StageOptions {
  readonly face?: Face;
  readonly as?: AuthorizationServerOptions;
  /** Who is let in. Default: whoever has a JWT with the scope `read`. */
  readonly auth?: (issuer: string, resource: string) => Authenticate;
}

/** Both servers. */
export interface Stage {
  readonly as: AuthorizationServer;
  /** The MCP server's, which is the resource. */
  readonly url: string;
  /** For `oauth`: the person signs in, and the application is given the URL they are sent back to. */
  readonly byHand: Pick<OAuthOptions, 'authorize' | 'redirectUri'>;
  /** Of the requests to the token endpoint from now on: the grant and the status of each. */
  watchTokens(): () => string[];
}

/** Both protocol families: whatever is newest, and one with a handshake. */
export const REVISIONS = ['auto', '2025-11-25'] as const;

/** Nobody listens there: the person is sent there, and does not arrive. */
export const REDIRECT = 'http://127.0.0.1:1/callback';

/** A client that acts for itself. Its secret is `secret`. */
export const ROBOT: ClientMetadata = {
  client_id: 'robot',
  client_secret: 'secret',
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
};

const open: { close(): Promise<unknown> }[] = [];

/** Closes it after the test, the last one first. */
export function closeLater<T extends { close(): Promise<unknown> }>(thing: T): T {
  open.push(thing);
  return thing;
}

/** For `afterEach`. Nobody may have been warned of anything meanwhile, such as of too many listeners. */
export async function closeAll(): Promise<void> {
  for (const thing of open.splice(0).reverse()) await thing.close();
  expect(warnings.splice(0).map(({ message }) => message)).toEqual([]);
}

const warnings: Error[] = [];
process.on('warning', (warning) => warnings.push(warning));

/** Starts both servers. */
export async function setStage({
  face = withServeHttp,
  as: options = {},
  auth = readers,
}: StageOptions = {}): Promise<Stage> {
  const as = await startAuthorizationServer(options);
  closeLater({
    async close() {
      await as.close();
      expect(as.faults).toEqual([]);
    },
  });
  const { url } = closeLater(await face(notes(), (resource) => auth(as.issuer, resource)));
  const watchTokens = (): (() => string[]) => {
    const from = as.tokenRequests.length;
    return () => as.tokenRequests.slice(from).map(({ grantType, status }) => `${grantType} ${status}`);
  };
  const byHand = { redirectUri: REDIRECT, authorize: (page: URL) => as.signIn(page) };
  return { as, url, byHand, watchTokens };
}

const readers = (issuer: string, resource: string): Authenticate => jwt({ issuer, resource, scopes: ['read'] });

/** A server that says who is calling, and has a tool that needs more than the others. */
export function notes(): McpServer {
  return new McpServer({ name: 'notes', version: '1.0.0' })
    .registerTool('whoami', { description: 'Says who is calling' }, (_, { auth }) => ({
      subject: auth?.subject,
      clientId: auth?.clientId,
      scopes: auth?.scopes,
    }))
    .registerTool('write', { description: 'Writes', scopes: ['write'] }, (_, { auth }) => `${auth?.subject} wrote`);
}
