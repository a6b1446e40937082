import { createServer } from 'node:http';
import { AuthError, oauth } from 'mcpp/auth/client';
import { jwt } from 'mcpp/auth/server';
import { connect } from 'mcpp/client';
import { nodeHandler } from 'mcpp/http';
import { afterEach, expect, test } from 'vitest';
import { type AuthorizationServer, listen, startAuthorizationServer } from './authorization-server.ts';
import type { AuthorizationServerOptions } from './provider-options.ts';
import { closeAll, closeLater, notes, REDIRECT, REVISIONS } from './stage.ts';

afterEach(closeAll);

/** A server at one URL whose authorization server can be changed. */
async function movingServer(): Promise<{ url: string; moveTo(as: AuthorizationServer): void }> {
  const http = createServer();
  const url = `http://127.0.0.1:${await listen(http, 0)}/mcp`;
  closeLater({
    async close() {
      http.close();
      http.closeAllConnections();
    },
  });
  return {
    url,
    moveTo({ issuer }) {
      const handler = nodeHandler(notes(), { auth: jwt({ issuer, resource: url, scopes: ['read'] }) });
      closeLater({ close: () => handler.close({ graceMs: 0 }) });
      http.removeAllListeners('request').on('request', handler);
    },
  };
}

async function authorizationServer(name: string, options?: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const as = closeLater(await startAuthorizationServer(options));
  as.person.name = name;
  return as;
}

test.for(REVISIONS)('a client follows a server to another authorization server: %s', async (revision) => {
  const [old, next] = [await authorizationServer('ada'), await authorizationServer('grace')];
  const { url, moveTo } = await movingServer();
  const auth = oauth({ redirectUri: REDIRECT, authorize: (page) => old.signIn(page) });
  moveTo(old);
  const mcp = closeLater(await connect(url, { revision, auth }));
  await mcp.callTool('whoami');
  const before = old.tokenRequests.length;

  moveTo(next);
  const { structuredContent } = await mcp.callTool('whoami');
  const clientId = next.registrations[0]?.clientId;
  expect(structuredContent).toMatchObject({ subject: 'grace', clientId });
  expect(next.tokenRequests).toMatchObject([{ grantType: 'authorization_code', clientId, status: 200 }]);
  expect(old.tokenRequests).toHaveLength(before);
});

test('should the server move back, the client is still known there', async () => {
  const [old, next] = [await authorizationServer('ada'), await authorizationServer('grace')];
  const { url, moveTo } = await movingServer();
  const auth = oauth({ redirectUri: REDIRECT, authorize: (page) => old.signIn(page) });
  moveTo(old);
  const mcp = closeLater(await connect(url, { auth }));
  for (const [as, subject] of [
    [next, 'grace'],
    [old, 'ada'],
  ] as const) {
    moveTo(as);
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { subject } });
    expect(as.registrations).toHaveLength(1);
  }
});

test('credentials of one authorization server are not sent to another that the server names', async () => {
  const client = { client_id: 'editor', client_secret: 'secret', redirect_uris: [REDIRECT] };
  const [mine, other] = [await authorizationServer('ada', { clients: [client] }), await authorizationServer('eve')];
  const { url, moveTo } = await movingServer();
  moveTo(other);
  const byHand = { redirectUri: REDIRECT, authorize: (page: URL) => mine.signIn(page) };
  const auth = oauth({ ...byHand, clientId: 'editor', clientSecret: 'secret', issuer: mine.issuer });
  const failure = await connect(url, { auth }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AuthError);
  expect(failure).toMatchObject({ code: 'issuer_mismatch' });
  expect(other.tokenRequests).toEqual([]);
});
