/** Mistakes about who may call. */

import { bearer } from 'mcpp/auth/client';
import { jwt } from 'mcpp/auth/server';
import { connect } from 'mcpp/client';
import { serveHttp } from 'mcpp/http';
import type { McpServer } from 'mcpp/server';
import { listen, makeKey, now, sign } from '../auth-server/issuer.ts';
import { type Mistake, make, messageOf, stderrOf } from './mistake.ts';

const scoped = (): McpServer => make().registerTool('t', { scopes: ['w'] }, () => 'x');

/** Why a client is refused by a server that is served with these options. */
async function refusal(server: McpServer, options: object, auth?: ReturnType<typeof bearer>): Promise<string> {
  const http = await serveHttp(server, { port: 0, ...options });
  try {
    return await messageOf(async () => {
      const client = await connect(http.url, { auth });
      await client.callTool('t').finally(() => client.close());
    });
  } finally {
    await http.close();
  }
}

/** What client and operator see of a token whose claims are changed like this. */
async function refusedToken(changes: Record<string, unknown>): Promise<{ client: string; stderr: string }> {
  const { issuer, close } = await listen();
  const key = await makeKey('k');
  issuer.keys = [key.jwk];
  const resource = 'https://mcp.example.com/mcp';
  const token = await sign(key, { iss: issuer.issuer, aud: resource, ...changes });
  const auth = jwt({ issuer: issuer.issuer, resource });
  let client = '';
  const stderr = await stderrOf(async () => {
    client = await refusal(make(), { auth }, bearer(token));
  });
  await close();
  return { client, stderr };
}

export const AUTHORIZATION: readonly Mistake[] = [
  {
    message:
      'http://... answered with HTTP status 401: Authorization is needed. It lets in only whom it knows: see the option "auth"',
    where: 'rejected',
    cause: 'The server wants credentials, and the client has none.',
    remedy: 'Give `connect` the option `auth`: [authorization](guide/authorization.md).',
    seen: () => refusal(make(), { auth: () => ({ status: 401 }) }),
  },
  {
    message: 'The server refuses the token with status 401 (invalid_token): The token has expired',
    where: 'rejected',
    cause: 'The token is too old. Clocks may differ by 5 s.',
    remedy: 'Get a new token. `oauth` of `mcpp/auth/client` does so by itself; `bearer` sends what it is given.',
    seen: async () => (await refusedToken({ exp: now() - 60 })).client,
  },
  {
    message: 'The server refuses the token with status 401 (invalid_token): The token was not issued for this server',
    where: 'rejected',
    cause: 'The token was issued for another server. The operator sees on stderr which audience it has.',
    remedy: 'Ask the authorization server for a token with the URL of this server as `resource`; `oauth` does so.',
    seen: async () => (await refusedToken({ aud: 'https://other.example.com' })).client,
  },
  {
    message:
      'mcpp: A token was refused: ... Received: issuer "...", audience "https://other.example.com" ... Expected: issuer "...", audience "https://mcp.example.com/mcp".',
    where: 'stderr',
    cause: 'The token was issued for another server: `aud` is not the `resource` of this one.',
    remedy:
      'Let the authorization server issue tokens for the named audience, or correct `resource` where the server is protected.',
    seen: async () => (await refusedToken({ aud: 'https://other.example.com' })).stderr,
  },
  {
    message:
      'http://... answered with HTTP status 403: This request requires the scope w, but callers are not authenticated: set the option "auth" where the server is served',
    where: 'rejected',
    cause: 'A tool has `scopes`, and the server is served over HTTP without `auth`.',
    remedy: 'Set `auth` where the server is served, or remove `scopes`.',
    seen: () => refusal(scoped(), {}),
  },
  {
    message:
      'mcpp: http: TypeError: "auth" gave neither a principal nor a challenge: return { subject, scopes }, or a challenge such as { status: 401 } ...',
    where: 'stderr',
    cause: 'The function `auth` returned `true` or nothing. The client gets status 500.',
    remedy: 'Return a principal, such as `{ subject: user.id, scopes: [] }`, or a challenge.',
    seen: () => stderrOf(() => refusal(make(), { auth: () => undefined })),
  },
];
