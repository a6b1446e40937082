import { inspect } from 'node:util';
import { AuthError, bearer, type CredentialStore, memoryStore, oauth } from 'mcpp/auth/client';
import { connect } from 'mcpp/client';
import type { ClientMetadata } from 'oidc-provider';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FACES } from './protected-server.ts';
import { closeAll, closeLater, REDIRECT, REVISIONS, ROBOT, setStage } from './stage.ts';

afterEach(async () => {
  vi.unstubAllEnvs();
  await closeAll();
});

describe.each(FACES)('over %s', (_, face) => {
  test.for(REVISIONS)('a stranger registers, a person signs in, and the same call continues: %s', async (revision) => {
    const { as, url, byHand } = await setStage({ face });
    const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
    const { structuredContent } = await mcp.callTool('whoami');
    const clientId = as.registrations[0]?.clientId;
    expect(as.registrations).toEqual([{ clientId, applicationType: 'native' }]);
    expect(structuredContent).toEqual({ subject: 'ada', clientId, scopes: ['read'] });
    expect(as.tokenRequests).toMatchObject([{ grantType: 'authorization_code', clientId, resource: url, status: 200 }]);
  });

  test.for(REVISIONS)('a call that needs more scopes asks the person for them, and continues: %s', async (revision) => {
    const { as, url, byHand, watchTokens } = await setStage({ face });
    const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
    await mcp.callTool('whoami');
    const tokens = watchTokens();
    expect(await mcp.callTool('write')).toMatchObject({ content: [{ text: 'ada wrote' }] });
    expect(tokens()).toEqual(['authorization_code 200']);
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { scopes: ['read', 'write'] } });
    expect(as.registrations).toHaveLength(1);
  });
});

test('without a browser the page is told to the application, and the way back leads to a port of this machine', async () => {
  for (const name of ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER']) vi.stubEnv(name, '');
  const { as, url } = await setStage();
  const pages: URL[] = [];
  const onUrl = (page: URL): void => {
    pages.push(page);
    void as.signInAndReturn(page);
  };
  const mcp = closeLater(await connect(url, { auth: oauth({ clientName: 'Editor', onUrl }) }));
  expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada' } });
  expect(pages[0]?.searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
});

test('who is signed in already is not asked again, on another connection either', async () => {
  const { as, url, byHand, watchTokens } = await setStage();
  const store = memoryStore();
  const first = closeLater(await connect(url, { auth: oauth({ ...byHand, store }) }));
  await first.callTool('whoami');
  const tokens = watchTokens();
  as.person.name = 'grace';
  const second = closeLater(await connect(url, { auth: oauth({ ...byHand, store }) }));
  expect(await second.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada' } });
  expect(tokens()).toEqual([]);
});

test('twenty connections that nobody let in yet ask the person once', async () => {
  const { as, url, byHand } = await setStage();
  const auth = oauth(byHand);
  const connections = await Promise.all(Array.from({ length: 20 }, () => connect(url, { auth })));
  connections.map(closeLater);
  expect(as.registrations).toHaveLength(1);
  expect(as.tokenRequests).toHaveLength(1);
});

test.for(REVISIONS)('twenty calls at once that need more scopes ask the person once: %s', async (revision) => {
  const { url, byHand, watchTokens } = await setStage();
  const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
  const tokens = watchTokens();
  const results = await Promise.all(Array.from({ length: 20 }, () => mcp.callTool('write')));
  expect(results.filter(({ isError }) => !isError)).toHaveLength(20);
  expect(tokens()).toEqual(['authorization_code 200']);
});

test('where the person comes back to somebody else, the callback is brought in later', async () => {
  const { as, url } = await setStage();
  const pages: URL[] = [];
  const authorize = async (page: URL): Promise<undefined> => void pages.push(page);
  const auth = oauth({ redirectUri: 'https://app.example.com/callback', authorize });
  const failure = await connect(url, { auth }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AuthError);
  expect(failure).toMatchObject({ code: 'authorization_pending', isRetryable: true });
  const callback = await as.signIn(pages[0] ?? '');
  expect(callback.href).toMatch(/^https:\/\/app\.example\.com\/callback\?/);
  await auth.finish(callback);
  const mcp = closeLater(await connect(url, { auth }));
  expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { subject: 'ada' } });
  expect(as.registrations).toMatchObject([{ applicationType: 'web' }]);
  // It is good for once.
  await expect(auth.finish(callback)).rejects.toMatchObject({ code: 'state_mismatch' });
});

test('nothing that an application can hold shows a token, a code or a secret', async () => {
  const kept: string[] = [];
  const memory = memoryStore();
  const store: CredentialStore = {
    ...memory,
    set(key, value) {
      kept.push(JSON.stringify(value) ?? '');
      return memory.set(key, value);
    },
  };
  const callbacks: URL[] = [];
  const { as, url } = await setStage({ as: { scopes: ['read'] } });
  const authorize = async (page: URL): Promise<URL> => {
    const callback = await as.signIn(page);
    callbacks.push(callback);
    return callback;
  };
  const auth = oauth({ store, redirectUri: REDIRECT, authorize });
  const mcp = closeLater(await connect(url, { auth }));
  const result = await mcp.callTool('whoami');
  const failure = await mcp.callTool('write').catch((error: unknown) => error);
  const shown = inspect([auth, mcp, result, failure], { depth: Number.POSITIVE_INFINITY, showHidden: true });

  const names = ['accessToken', 'refreshToken', 'verifier', 'state'];
  const secrets = names.flatMap((name) => [...kept.join().matchAll(new RegExp(`"${name}":"([^"]+)"`, 'g'))]);
  const values = [...secrets.map(([, value]) => value), ...callbacks.map((one) => one.searchParams.get('code'))];
  expect(values.length).toBeGreaterThanOrEqual(5);
  expect(values.filter((value) => !value || shown.includes(value))).toEqual([]);
});

test.for(REVISIONS)('a person who says no is told to the application: %s', async (revision) => {
  const { as, url, byHand } = await setStage();
  as.person.answer = 'deny';
  const failure = await connect(url, { revision, auth: oauth(byHand) }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AuthError);
  expect(failure).toMatchObject({ code: 'access_denied', isRetryable: false });
  expect(as.tokenRequests).toEqual([]);
});

test.for(REVISIONS)('a person may say no to more: that call fails, and others do not: %s', async (revision) => {
  const { as, url, byHand } = await setStage();
  const mcp = closeLater(await connect(url, { revision, auth: oauth(byHand) }));
  as.person.answer = 'deny';
  await expect(mcp.callTool('write')).rejects.toMatchObject({ name: 'AuthError', code: 'access_denied' });
  expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { scopes: ['read'] } });
});

test('an authorization server that gives less than was asked for is asked once, and the error says what is needed', async () => {
  const { url, byHand, watchTokens } = await setStage({ as: { scopes: ['read'] } });
  const mcp = closeLater(await connect(url, { auth: oauth(byHand) }));
  const tokens = watchTokens();
  const failure = await mcp.callTool('write').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AuthError);
  expect(failure).toMatchObject({ code: 'insufficient_scope', challenge: { scopes: ['read', 'write'] } });
  expect(tokens()).toEqual(['authorization_code 200']);
});

const registered: ClientMetadata = {
  client_id: 'editor',
  application_type: 'native',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', 'refresh_token'],
};

test.for([
  { clientAuthMethod: 'none', own: { token_endpoint_auth_method: 'none' } as const, options: {} },
  {
    clientAuthMethod: 'client_secret_basic',
    own: { client_secret: 'a secret, with: signs +' },
    options: { clientSecret: 'a secret, with: signs +' },
  },
])(
  'a client that was registered beforehand is who it is: $clientAuthMethod',
  async ({ clientAuthMethod, own, options }) => {
    const { as, url, byHand } = await setStage({ as: { clients: [{ ...registered, ...own }] } });
    const auth = oauth({ ...byHand, ...options, clientId: 'editor', issuer: as.issuer });
    const mcp = closeLater(await connect(url, { auth }));
    expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { clientId: 'editor' } });
    expect(as.registrations).toEqual([]);
    expect(as.tokenRequests).toMatchObject([{ clientId: 'editor', clientAuthMethod }]);
  },
);

test('a token that the same issuer gave for another server is refused', async () => {
  const { as, url } = await setStage({ as: { clients: [ROBOT] } });
  const tokenFor = async (resource: string): Promise<string> => {
    const asked = { grant_type: 'client_credentials', scope: 'read', resource };
    const headers = { authorization: `Basic ${btoa('robot:secret')}` };
    const body = new URLSearchParams(asked);
    const response = await fetch(`${as.issuer}/token`, { method: 'POST', headers, body });
    const { access_token } = (await response.json()) as { access_token: string };
    return access_token;
  };
  const failure = await connect(url, { auth: bearer(await tokenFor(`${url}/other`)) }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AuthError);
  expect(failure).toMatchObject({ code: 'invalid_token' });
  const mcp = closeLater(await connect(url, { auth: bearer(await tokenFor(url)) }));
  expect(await mcp.callTool('whoami')).toMatchObject({ structuredContent: { clientId: 'robot' } });
});
