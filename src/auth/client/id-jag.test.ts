import { describe, expect, test } from 'vitest';
import type { OAuthResponse } from './exchange.ts';
import { idJagRequest, readIdJag } from './id-jag.ts';

const IDP = { issuer: 'https://idp.example', token_endpoint: 'https://idp.example/oauth2/token' };
const OPTIONS = {
  audience: 'https://auth.chat.example/',
  resource: 'https://mcp.chat.example/',
  subjectToken: 'id.to.ken',
  scopes: ['chat.read', 'chat.history'],
};
const NOW = 1_000_000;
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

const json = (body: unknown, status = 200): OAuthResponse => ({
  status,
  header: (name) => (name === 'content-type' ? 'application/json' : undefined),
  body: JSON.stringify(body),
});

describe('the exchange', () => {
  test('has the parameters of the extension and no others', async () => {
    const { method, url, headers, body } = await idJagRequest(IDP, { clientId: 'idp-app' }, OPTIONS);
    expect({ method, url: url.href, headers }).toEqual({
      method: 'POST',
      url: 'https://idp.example/oauth2/token',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([...new URLSearchParams(body)]).toEqual([
      ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      ['requested_token_type', ID_JAG],
      ['audience', 'https://auth.chat.example/'],
      ['scope', 'chat.read chat.history'],
      ['subject_token', 'id.to.ken'],
      ['subject_token_type', 'urn:ietf:params:oauth:token-type:id_token'],
      ['resource', 'https://mcp.chat.example/'],
      ['client_id', 'idp-app'],
    ]);
  });

  test('may start from another kind of login, with a secret of the identity provider, and without scopes', async () => {
    const subjectTokenType = 'urn:ietf:params:oauth:token-type:saml2';
    const identity = { clientId: 'idp-app', clientSecret: 's', authMethod: 'client_secret_post' };
    const { body } = await idJagRequest(IDP, identity, { ...OPTIONS, subjectTokenType, scopes: [] });
    const sent = new URLSearchParams(body);
    expect(sent.get('subject_token_type')).toBe(subjectTokenType);
    expect(sent.get('client_secret')).toBe('s');
    expect(sent.has('scope')).toBe(false);
  });
});

describe('the answer', () => {
  const ANSWER = { issued_token_type: ID_JAG, access_token: 'ey.ey.sig', token_type: 'N_A' };

  test('has a grant, which is no access token', () => {
    expect(readIdJag(json({ ...ANSWER, scope: 'chat.read', expires_in: 300 }), NOW)).toEqual({
      assertion: 'ey.ey.sig',
      expiresAt: NOW + 300_000,
      scopes: ['chat.read'],
    });
    expect(readIdJag(json(ANSWER), NOW)).toEqual({ assertion: 'ey.ey.sig' });
  });

  test.each([
    { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' },
    { issued_token_type: undefined },
    { access_token: undefined },
    { access_token: 'a b' },
  ])('is of no use with %j', (change) => {
    expect(() => readIdJag(json({ ...ANSWER, ...change }), NOW)).toThrow(
      expect.objectContaining({ code: 'invalid_response' }),
    );
  });

  test('may be a refusal', () => {
    const body = { error: 'invalid_grant', error_description: 'Audience validation failed' };
    expect(() => readIdJag(json(body, 400), NOW)).toThrow(
      expect.objectContaining({
        code: 'invalid_grant',
        message: "The identity provider's token endpoint refused: invalid_grant (Audience validation failed)",
      }),
    );
  });
});
