import { describe, expect, test } from 'vitest';
import { resourceOf } from './resource.ts';

const issuer = 'https://auth.example.com';

test('the metadata says what RFC 9728 has for it', () => {
  const { protectedResource } = resourceOf(
    { resource: 'https://mcp.example.com/mcp', scopes: ['mcp:use'], name: 'Files', dpop: 'refused' },
    [issuer],
  );
  expect(protectedResource.metadataUrl).toBe('https://mcp.example.com/.well-known/oauth-protected-resource/mcp');
  expect(protectedResource.metadata).toEqual({
    resource: 'https://mcp.example.com/mcp',
    authorization_servers: ['https://auth.example.com'],
    scopes_supported: ['mcp:use'],
    bearer_methods_supported: ['header'],
    resource_name: 'Files',
  });
});

test('the metadata says what is said of proofs', () => {
  const metadataWith = (dpop: 'accepted' | 'required') =>
    resourceOf({ resource: 'https://mcp.example.com', dpop }, [issuer]).protectedResource.metadata;
  const algorithms = 'ES256 ES384 ES512 PS256 PS384 PS512 RS256 RS384 RS512 EdDSA Ed25519'.split(' ');
  const base = {
    resource: 'https://mcp.example.com',
    authorization_servers: ['https://auth.example.com'],
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: algorithms,
  };
  expect(metadataWith('accepted')).toEqual(base);
  expect(metadataWith('required')).toEqual({ ...base, dpop_bound_access_tokens_required: true });
});

test('other scopes than the needed ones may be shown', () => {
  const { protectedResource } = resourceOf(
    { resource: 'https://mcp.example.com', scopes: ['a'], scopesSupported: ['a', 'b'] },
    [issuer],
  );
  expect(protectedResource.metadata['scopes_supported']).toEqual(['a', 'b']);
});

describe('the metadata is beside the resource', () => {
  test.each([
    ['https://mcp.example.com', 'https://mcp.example.com/.well-known/oauth-protected-resource'],
    ['https://mcp.example.com/', 'https://mcp.example.com/.well-known/oauth-protected-resource'],
    ['https://mcp.example.com:8443/a/mcp', 'https://mcp.example.com:8443/.well-known/oauth-protected-resource/a/mcp'],
    ['http://localhost:3000/mcp', 'http://localhost:3000/.well-known/oauth-protected-resource/mcp'],
  ])('%s', (resource, metadataUrl) => {
    const { protectedResource } = resourceOf({ resource }, [issuer]);
    expect(protectedResource.metadataUrl).toBe(metadataUrl);
    expect(protectedResource.metadata['resource']).toBe(resource);
  });
});

test('a root is the same with and without its slash; nothing else is', () => {
  const identifiers = (resource: string) => resourceOf({ resource }, [issuer]).identifiers;
  expect(identifiers('https://mcp.example.com')).toEqual(['https://mcp.example.com', 'https://mcp.example.com/']);
  expect(identifiers('https://mcp.example.com/mcp')).toEqual(['https://mcp.example.com/mcp']);
});

test('a tool that needs more has all of it named', () => {
  const { protectedResource } = resourceOf({ resource: 'https://mcp.example.com', scopes: ['a'] }, [issuer]);
  const { status, headers } = protectedResource.insufficientScope(['b', 'a']);
  expect(status).toBe(403);
  expect(headers?.['WWW-Authenticate']).toContain('scope="a b"');
  // Whose scope it is has been asked at registration: at a request it is too late to complain.
  expect(protectedResource.insufficientScope(['offline_access']).status).toBe(403);
});

test('nobody can change what everybody is shown', () => {
  const { protectedResource } = resourceOf({ resource: 'https://mcp.example.com' }, [issuer]);
  const metadata = protectedResource.metadata as { authorization_servers: string[] };
  expect(() => metadata.authorization_servers.push('https://evil.example')).toThrow(TypeError);
  expect(() => Object.assign(metadata, { resource: 'https://evil.example' })).toThrow(TypeError);
});

test.each([
  [{ resource: 'http://mcp.example.com/mcp' }, 'The option "resource" must be an https: URL'],
  [{ resource: 'https://mcp.example.com/mcp#x' }, 'The option "resource" must be a URL without a query or fragment'],
  [{ resource: 'HTTPS://MCP.example.com:443/mcp' }, 'must be written as "https://mcp.example.com/mcp"'],
  [{ resource: 'https://mcp.example.com', scopes: ['a b'] }, 'The option "scopes"'],
  [{ resource: 'https://mcp.example.com', scopesSupported: ['offline_access'] }, 'The option "scopesSupported"'],
  [{ resource: 'https://mcp.example.com', dpop: 'maybe' as never }, 'The option "dpop"'],
  [{ resource: 'https://mcp.example.com', name: 7 as never }, 'The option "name"'],
])('%j is a TypeError that names the option', (options, message) => {
  expect(() => resourceOf(options, [issuer])).toThrow(TypeError);
  expect(() => resourceOf(options, [issuer])).toThrow(message);
});
