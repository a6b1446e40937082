import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { OAuthResponse } from './exchange.ts';
import { type RegistrationOptions, readRegistration, registrationRequest } from './registration.ts';
import { fallbackMetadata } from './server-metadata.ts';

const AS = {
  issuer: 'https://as.example',
  token_endpoint: 'https://as.example/token',
  registration_endpoint: 'https://as.example/register',
};
const CALLBACK = 'http://127.0.0.1:5000/callback';
const OPTIONS: RegistrationOptions = {
  clientName: 'App',
  redirectUris: [CALLBACK],
  applicationType: 'native',
  grantTypes: ['authorization_code', 'refresh_token'],
};

const json = (body: unknown, status = 201): OAuthResponse => ({
  status,
  header: (name) => (name === 'content-type' ? 'application/json' : undefined),
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const sent = (as: object, options: Partial<RegistrationOptions> = {}): Record<string, unknown> =>
  JSON.parse(registrationRequest({ ...AS, ...as }, { ...OPTIONS, ...options }).body ?? '') as Record<string, unknown>;

describe('a request', () => {
  test('has these bytes and no others', () => {
    expect(registrationRequest(AS, OPTIONS)).toEqual({
      method: 'POST',
      url: new URL('https://as.example/register'),
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body:
        '{"client_name":"App","redirect_uris":["http://127.0.0.1:5000/callback"],"application_type":"native",' +
        '"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none"}',
    });
  });

  test('says what else there is to say', () => {
    expect(
      sent(
        {},
        {
          applicationType: 'web',
          redirectUris: ['https://app.example/cb'],
          grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
          clientUri: 'https://app.example',
        },
      ),
    ).toEqual({
      client_name: 'App',
      redirect_uris: ['https://app.example/cb'],
      application_type: 'web',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
      response_types: [],
      token_endpoint_auth_method: 'none',
      client_uri: 'https://app.example',
    });
  });

  test.each([
    [undefined, 'none'],
    [['client_secret_basic', 'none'], 'none'],
    [['client_secret_post', 'client_secret_basic'], 'client_secret_basic'],
    [['client_secret_post', 'private_key_jwt'], 'client_secret_post'],
  ])('to a server that takes %j is for %s', (methods, method) => {
    const as = methods ? { token_endpoint_auth_methods_supported: methods } : {};
    expect(sent(as)['token_endpoint_auth_method']).toBe(method);
  });

  test('is not made where it is known to fail', () => {
    const failing: readonly [object, Partial<RegistrationOptions>, string][] = [
      [{ token_endpoint_auth_methods_supported: ['private_key_jwt'] }, {}, 'client_auth_unsupported'],
      [{ registration_endpoint: undefined }, {}, 'endpoint_missing'],
      [{ registration_endpoint: 'http://as.example/register' }, {}, 'forbidden_url'],
      [{}, { redirectUris: ['http://app.example/cb'] }, 'invalid_redirect_uri'],
      [{}, { redirectUris: ['https://app.example/cb#'] }, 'invalid_redirect_uri'],
    ];
    for (const [as, options, code] of failing)
      expect(() => sent(as, options)).toThrow(expect.objectContaining({ code }));
  });
});

describe('an answer', () => {
  test('says who the client is', () => {
    expect(
      readRegistration(
        json({
          client_id: 'c1',
          client_secret: 's3cret',
          client_secret_expires_at: 1_700_000_000,
          token_endpoint_auth_method: 'client_secret_basic',
          redirect_uris: ['https://other.example/', CALLBACK],
          registration_access_token: 'rat',
        }),
        [CALLBACK],
      ),
    ).toEqual({
      clientId: 'c1',
      clientSecret: 's3cret',
      secretExpiresAt: 1_700_000_000_000,
      authMethod: 'client_secret_basic',
      redirectUris: [CALLBACK],
    });
    const vain = { client_id: 'c1', token_endpoint_auth_method: 'client_secret_basic' };
    expect(readRegistration(json(vain), [CALLBACK])).toEqual({ clientId: 'c1', redirectUris: [CALLBACK] });
    expect(readRegistration(json({ client_id: 'c1' }, 200), [CALLBACK])).toEqual({
      clientId: 'c1',
      redirectUris: [CALLBACK],
    });
    expect(
      readRegistration(json({ client_id: 'c1', client_secret: 's', client_secret_expires_at: 0 }), [CALLBACK]),
    ).not.toHaveProperty('secretExpiresAt');
  });

  test.each([
    [['http://127.0.0.1:5000/callback/']],
    [['http://127.0.0.1:5000/Callback']],
    [['http://127.0.0.1:*/callback']],
    [['http://127.0.0.1/callback']],
    [[]],
    ['http://127.0.0.1:5000/callback'],
  ])('that changed the redirect URIs to %j is not used', (redirect_uris) => {
    expect(() => readRegistration(json({ client_id: 'c1', redirect_uris }), [CALLBACK])).toThrow(
      expect.objectContaining({
        code: 'invalid_redirect_uri',
        message: expect.stringContaining('other redirect URIs'),
      }),
    );
  });

  test('that refuses says why and what to do instead', () => {
    const body = { error: 'invalid_redirect_uri', error_description: 'Native clients need a custom scheme' };
    expect(() => readRegistration(json(body, 400), [CALLBACK])).toThrow(
      expect.objectContaining({
        code: 'invalid_redirect_uri',
        isRetryable: false,
        message:
          'The registration endpoint refused: invalid_redirect_uri (Native clients need a custom scheme). Register the client ' +
          'with the authorization server by hand and pass its "clientId", or use a client ID metadata document',
      }),
    );
    expect(() => readRegistration(json({}, 403), [CALLBACK])).toThrow(
      /status 403 instead of 201 or 200\. Register the client/,
    );
    expect(() => readRegistration(json({ client_id: 'c1' }, 302), [CALLBACK])).toThrow(
      expect.objectContaining({ code: 'redirected' }),
    );
    expect(() => readRegistration(json({ client_name: 'App' }), [CALLBACK])).toThrow(/"client_id" must be a string/);
  });

  describe('of a server that says nothing of itself', () => {
    const as = fallbackMetadata(new URL('https://mcp.example/mcp'));
    const page: OAuthResponse = { status: 200, header: () => 'text/html', body: '<h1>Hello</h1>' };

    test.each([
      ['404', json('not found', 404)],
      ['405', json({ error: 'method_not_allowed' }, 405)],
      ['401 for want of a key', json({ error: 'unauthorized' }, 401)],
      ['a page', page],
    ])('with %s means that it may not use OAuth, and how to send a key', (_what, response) => {
      expect(() => readRegistration(response, [CALLBACK], as)).toThrow(
        expect.objectContaining({
          code: 'oauth_unsupported',
          isRetryable: false,
          message: expect.stringMatching(/does not say how to be let in.*may not use OAuth.*bearer\(\).*"headers"/),
        }),
      );
      // One that has metadata does use it.
      expect(() => readRegistration(response, [CALLBACK], AS)).toThrow(/Register the client|not application\/json/);
    });

    test('is a refusal like others if it is one', () => {
      for (const [status, error] of [
        [400, 'invalid_client_metadata'],
        [503, 'temporarily_unavailable'],
        [429, 'slow_down'],
      ] as const) {
        expect(() => readRegistration(json({ error }, status), [CALLBACK], as)).toThrow(
          expect.objectContaining({ code: error }),
        );
      }
      expect(readRegistration(json({ client_id: 'c1' }), [CALLBACK], as).clientId).toBe('c1');
    });
  });

  test('is not quoted by errors', () => {
    const body = { client_id: 'c1', client_secret: 'sEcReT', redirect_uris: [] };
    let error: unknown;
    try {
      readRegistration(json(body), [CALLBACK]);
    } catch (reason) {
      error = reason;
    }
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('sEcReT');
  });
});
