import { describe, expect, test } from 'vitest';
import type { OAuthResponse } from './exchange.ts';
import { readResourceMetadata, resourceMetadataUrls } from './resource-metadata.ts';

const SERVER = new URL('https://mcp.example/public/mcp');
const AS = ['https://as.example'];

const json = (body: unknown, status = 200): OAuthResponse => ({
  status,
  header: (name) => (name === 'content-type' ? 'application/json' : undefined),
  body: JSON.stringify(body),
});
const hrefs = (server: string, named?: string): string[] => resourceMetadataUrls(new URL(server), named).map(String);

describe('where it is looked for', () => {
  test('below the well-known path with the path of the server, then without', () => {
    expect(hrefs('https://mcp.example/public/mcp')).toEqual([
      'https://mcp.example/.well-known/oauth-protected-resource/public/mcp',
      'https://mcp.example/.well-known/oauth-protected-resource',
    ]);
    expect(hrefs('https://mcp.example:8443/')).toEqual([
      'https://mcp.example:8443/.well-known/oauth-protected-resource',
    ]);
    expect(hrefs('https://mcp.example/mcp/')[0]).toBe('https://mcp.example/.well-known/oauth-protected-resource/mcp/');
    expect(hrefs('https://mcp.example/?tenant=a')).toEqual([
      'https://mcp.example/.well-known/oauth-protected-resource?tenant=a',
      'https://mcp.example/.well-known/oauth-protected-resource',
    ]);
  });

  test('at the one place that the challenge names', () => {
    expect(hrefs('https://mcp.example/mcp', 'https://mcp.example/custom/location.json?x=1')).toEqual([
      'https://mcp.example/custom/location.json?x=1',
    ]);
    expect(hrefs('https://mcp.example/mcp', '/meta.json')).toEqual(['https://mcp.example/meta.json']);
  });

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:application/json,{}',
    'https://',
    'https://u:p@mcp.example/',
  ])('not at %s', (named) => {
    expect(() => hrefs('https://mcp.example/mcp', named)).toThrow(
      expect.objectContaining({ name: 'AuthError', code: 'invalid_challenge' }),
    );
  });
});

test.each([
  'https://meta.example/meta.json',
  'http://mcp.example/meta.json',
  'https://mcp.example:8443/meta.json',
  '//meta.example/meta.json',
  'https://127.0.0.1/',
])('a challenge that names %s is refused: it is not the origin of the server', (named) => {
  expect(() => hrefs('https://mcp.example/mcp', named)).toThrow(
    expect.objectContaining({
      code: 'forbidden_address',
      message: expect.stringMatching(
        /"resource_metadata" at \S+ it must be at the server's own origin, https:\/\/mcp\.example$/,
      ),
    }),
  );
});

describe('how much it may say', () => {
  const read = (more: object) =>
    readResourceMetadata(SERVER, json({ resource: 'https://mcp.example', authorization_servers: AS, ...more }));
  const issuers = (count: number) => Array.from({ length: count }, (_, index) => `https://as-${index}.example`);

  test('20 authorization servers, each once', () => {
    expect(read({ authorization_servers: issuers(20) }).authorizationServers).toHaveLength(20);
    expect(read({ authorization_servers: [...AS, ...AS] }).authorizationServers).toEqual(AS);
    expect(() => read({ authorization_servers: issuers(21) })).toThrow(
      '"authorization_servers" must name at most 20, not 21',
    );
  });

  test('1,000 scopes of 16 KiB', () => {
    const scopes = Array.from({ length: 1000 }, (_, index) => `s:${index}`);
    expect(read({ scopes_supported: scopes }).scopesSupported).toHaveLength(1000);
    for (const scopes_supported of [[...scopes, 'one-more'], ['x'.repeat(16 * 1024 + 1)]]) {
      expect(() => read({ scopes_supported })).toThrow('"scopes_supported" must have at most 1000 scopes');
    }
  });
});

describe('what it says', () => {
  test('is taken by letter', () => {
    expect(
      readResourceMetadata(
        SERVER,
        json({
          resource: 'https://MCP.example/public/mcp',
          authorization_servers: ['https://as.example/', 'https://other.example/tenant'],
          scopes_supported: ['a', 'b'],
          dpop_bound_access_tokens_required: true,
        }),
      ),
    ).toEqual({
      resource: 'https://MCP.example/public/mcp',
      authorizationServers: ['https://as.example/', 'https://other.example/tenant'],
      scopesSupported: ['a', 'b'],
      dpopRequired: true,
    });
    expect(readResourceMetadata(SERVER, json({ resource: 'https://mcp.example', authorization_servers: AS }))).toEqual({
      resource: 'https://mcp.example',
      authorizationServers: AS,
      dpopRequired: false,
    });
  });

  test.each([
    'https://mcp.example/public/mcp',
    'https://mcp.example/public/mcp/',
    'https://mcp.example/public',
    'https://mcp.example/',
    'https://mcp.example',
    'https://mcp.example:443',
  ])('is about the server if it is about %s', (resource) => {
    expect(readResourceMetadata(SERVER, json({ resource, authorization_servers: AS })).resource).toBe(resource);
  });

  test.each([
    'https://evil.example/public/mcp',
    'http://mcp.example/public/mcp',
    'https://mcp.example:8443/public/mcp',
    'https://mcp.example.evil.example/public/mcp',
    'https://mcp.example/public/mcp/deeper',
    'https://mcp.example/pub',
    'https://mcp.example/public/mc',
    'https://mcp.example/other',
    'https://mcp.example/public/mcp?tenant=b',
    'https://mcp.example/public/mcp#x',
    'https://mcp.example#',
    'https://evil.example\\@mcp.example/',
    'https://user@mcp.example/',
    ' https://mcp.example/',
    'https://mcp.example/\n',
    'mcp.example',
    'urn:mcp',
  ])('is about something else if it is about %s', (resource) => {
    expect(() => readResourceMetadata(SERVER, json({ resource, authorization_servers: AS }))).toThrow(
      expect.objectContaining({
        code: 'resource_mismatch',
        message:
          'The protected resource metadata is about another resource: "resource" must be https://mcp.example/public/mcp, or a parent of it',
      }),
    );
  });

  test('may have the query of the server', () => {
    const server = new URL('https://mcp.example/mcp?tenant=a');
    for (const resource of ['https://mcp.example/mcp?tenant=a', 'https://mcp.example/mcp']) {
      expect(readResourceMetadata(server, json({ resource, authorization_servers: AS })).resource).toBe(resource);
    }
  });

  test.each([
    [undefined],
    [[]],
    ['https://as.example'],
    [[1]],
    [['as.example']],
    [['https://as.example?x=1']],
    [['https://as.example/#']],
    [['https://u:p@as.example']],
    [['javascript:alert(1)']],
    [['https://as.example', 'file:///x']],
    [['https://as.example/\u001b[31m']],
    [['https://as.example/\u202e']],
  ])('names authorization servers, not %j', (authorization_servers) => {
    const response = json({ resource: 'https://mcp.example', authorization_servers });
    expect(() => readResourceMetadata(SERVER, response)).toThrow(
      expect.objectContaining({
        code: 'invalid_response',
        message: expect.stringMatching(/"authorization_servers" must (name at least one|be absolute http\(s\) URLs)/),
      }),
    );
  });

  test('is nothing without a resource, and nothing with another status or type', () => {
    const good = { resource: 'https://mcp.example', authorization_servers: AS };
    expect(() => readResourceMetadata(SERVER, json({ ...good, resource: undefined }))).toThrow(
      /"resource" must be a string/,
    );
    expect(() => readResourceMetadata(SERVER, json(good, 404))).toThrow(/status 404 instead of 200/);
    expect(() => readResourceMetadata(SERVER, { ...json(good), header: () => 'text/html' })).toThrow(
      /not application\/json/,
    );
  });

  test('is not believed where its lists are none', () => {
    for (const scopes_supported of ['a b', [], [1], null]) {
      const metadata = readResourceMetadata(
        SERVER,
        json({
          resource: 'https://mcp.example',
          authorization_servers: AS,
          scopes_supported,
          dpop_bound_access_tokens_required: 'yes',
        }),
      );
      expect(metadata).not.toHaveProperty('scopesSupported');
      expect(metadata.dpopRequired).toBe(false);
    }
  });
});
