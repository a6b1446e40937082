/** Private networks: who was configured may be in one, tokens go over http only within one, and challenges lead into none. */

import { type AuthError, bearer, enterpriseManaged } from 'mcpp/auth/client';
import { describe, expect, test } from 'vitest';
import {
  AS,
  connectionTo,
  enter,
  failureOf,
  letsIn,
  metadataOf,
  PRM,
  refused,
  resourceOf,
  type Table,
  world,
} from './world.ts';

describe('an identity provider that was configured', () => {
  const login = { clientId: 'app', issuer: AS, idToken: () => 'id-token' };
  const jag = {
    access_token: 'jag',
    token_type: 'N_A',
    issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    expires_in: 300,
  };
  const provider = (origin: string): Table => ({
    [`GET ${origin}/.well-known/oauth-authorization-server`]: { json: metadataOf(origin) },
    [`POST ${origin}/token`]: { json: jag },
  });

  test.each(['https://10.1.2.3', 'https://idp.internal', 'http://localhost:4000'])(
    'is reached at %s, although the MCP server is on the internet',
    async (origin) => {
      for (const place of [{ issuer: origin }, { tokenEndpoint: `${origin}/token` }]) {
        const { fetch, to } = world(provider(origin));
        const auth = enterpriseManaged({ fetch, ...login, identityProvider: { clientId: 'p', ...place } });
        expect(await enter(auth.authorizer(connectionTo()), letsIn('access-1'))).toMatchObject({ status: 200 });
        expect(to(`POST ${origin}/token`)).toHaveLength(1);
      }
    },
  );

  test.each(['https://169.254.169.254', 'http://169.254.169.254', 'https://[fe80::1]'])(
    'is never reached at %s, where clouds give away credentials',
    async (origin) => {
      const { fetch, lines } = world(provider(origin));
      const identityProvider = { clientId: 'p', issuer: origin };
      const auth = enterpriseManaged({ fetch, ...login, identityProvider });
      const error = await failureOf(enter(auth.authorizer(connectionTo()), letsIn()));
      expect(error).toMatchObject({ code: 'forbidden_address' });
      expect(lines().filter((line) => line.includes(origin))).toEqual([]);
    },
  );

  test('does not open the network it is in to the MCP server', async () => {
    const origin = 'https://10.1.2.3';
    const identityProvider = { clientId: 'p', issuer: origin };
    const { fetch, lines } = world(provider(origin), { [`GET ${PRM}`]: { json: resourceOf([origin]) } });
    const auth = enterpriseManaged({ fetch, ...login, issuer: 'discovered', identityProvider });
    for (const challenge of ['Bearer', `Bearer resource_metadata="${origin}/admin?delete=all"`]) {
      const error = await failureOf(enter(auth.authorizer(connectionTo()), () => refused(challenge)));
      expect(error).toMatchObject({ code: 'forbidden_address' });
    }
    expect(lines().filter((line) => line.includes(origin))).toEqual([]);
  });

  test('must be at a URL that something can be sent to', () => {
    for (const url of [
      'http://idp.example.com',
      'ftp://idp.example.com',
      'https://u:hush-hush@idp.example.com',
      'idp',
    ]) {
      const make = () => enterpriseManaged({ ...login, identityProvider: { clientId: 'p', issuer: url } });
      expect(make).toThrow(
        new TypeError(
          'enterpriseManaged: "identityProvider.issuer" must be an https URL, or an http one of a private network',
        ),
      );
    }
  });
});

describe('a token of somebody else', () => {
  const headers = (url: string, token: Parameters<typeof bearer>[0]) => async () =>
    bearer(token)
      .authorizer(connectionTo(url))
      .headers({ method: 'POST', url: new URL(url) });

  test.each(['http://mcp.example.com/mcp', 'http://8.8.8.8/mcp'])('is not sent to %s', async (url) => {
    let asked = 0;
    for (const token of ['hush-hush', () => `hush-hush-${++asked}`]) {
      const error: AuthError = await failureOf(headers(url, token)());
      expect(error).toMatchObject({ code: 'insecure_transport', isRetryable: false });
      expect(error.message).toBe(`Tokens are not sent to ${new URL(url).origin}: it needs https`);
    }
    expect(asked).toBe(0);
  });

  test.each(['https://mcp.example.com/mcp', 'http://127.0.0.1:3000/mcp', 'http://mcp.lan/mcp', 'http://10.0.0.1/mcp'])(
    'is sent to %s',
    async (url) => {
      expect(await headers(url, 'token')()).toEqual({ authorization: 'Bearer token' });
    },
  );
});
