import { expect, test } from 'vitest';
import { protectedResource } from './metadata-handler.ts';
import { verifier } from './verifier.ts';

const auth = verifier({
  issuer: 'https://auth.example.com',
  resource: 'https://mcp.example.com/mcp',
  dpop: 'refused',
  name: 'Zoë',
  verify: () => undefined,
});
const metadata = protectedResource(auth);
const url = `https://mcp.example.com${metadata.path}`;
const document =
  '{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://auth.example.com"],' +
  '"bearer_methods_supported":["header"],"resource_name":"Zoë"}';

/** What Node's response was given. */
function nodeResponse() {
  const given: unknown[] = [];
  return {
    given,
    writeHead: (...head: unknown[]) => void given.push(...head),
    end: (body?: string) => void given.push(body),
  };
}

test('it says where it belongs', () => {
  expect(metadata.path).toBe('/.well-known/oauth-protected-resource/mcp');
});

test('GET gives the document to everybody, web pages included', async () => {
  const response = metadata(new Request(url));
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toEqual({
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=300',
    'content-length': '156',
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
  });
  expect(await response.text()).toBe(document);
  expect(Buffer.byteLength(document)).toBe(156);
});

test('HEAD gives the same without the document', async () => {
  const response = metadata(new Request(url, { method: 'HEAD' }));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toBe('156');
  expect(await response.text()).toBe('');
});

test('a browser may ask first, whatever header fields its page sends', () => {
  const response = metadata(new Request(url, { method: 'OPTIONS' }));
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-headers')).toBe('*, Authorization');
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
});

test('nothing else is done with it', () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const response = metadata(new Request(url, { method }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  }
});

test('Node gets the same answers', () => {
  const get = nodeResponse();
  expect(metadata({ method: 'GET' }, get)).toBeUndefined();
  expect(get.given).toEqual([200, expect.objectContaining({ 'content-type': 'application/json' }), document]);
  const post = nodeResponse();
  metadata({ method: 'POST' }, post);
  expect(post.given).toEqual([405, expect.objectContaining({ allow: 'GET, HEAD, OPTIONS' }), undefined]);
});

test('what runtimes pass beside a Request does not make them Node', () => {
  expect(metadata(new Request(url), { upgrade: () => false }, undefined).status).toBe(200);
});

test('a function of one’s own has no metadata', () => {
  expect(() => protectedResource(() => ({ subject: 'alice' }))).toThrow(
    new TypeError('protectedResource needs what jwt(), introspect() or verifier() gave: this has no metadata'),
  );
});
